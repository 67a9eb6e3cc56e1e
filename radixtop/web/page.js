// Keys go to the terminal as soon as it shows something: nobody has to click first.
window.addEventListener("DOMContentLoaded", () => {
  const look = () => {
    const keyboard = document.querySelector(".xterm-helper-textarea");
    if (keyboard && document.body.classList.contains("-first-byte")) {
      watcher.disconnect();
      keyboard.focus();
    }
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { attributes: true, childList: true, subtree: true });
  look();
});
