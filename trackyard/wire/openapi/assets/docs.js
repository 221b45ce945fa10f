const field = document.getElementById("search");
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of document.querySelectorAll("[data-text]")) {
    item.hidden = !words.every((word) => item.dataset.text.includes(word));
  }
});
for (const place of document.querySelectorAll(".origin")) {
  place.textContent = location.origin;
}
