"""From a recording to the operations that its cache was asked for, so that another cache can be asked as well."""
