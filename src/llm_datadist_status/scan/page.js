"use strict";
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const status = document.getElementById("by-status");
  const file = document.getElementById("by-file");
  const text = document.getElementById("by-text");
  const shown = document.getElementById("shown");
  const incidents = Array.from(document.querySelectorAll(".incident"), (element) => ({
    element,
    status: element.dataset.status,
    files: element.dataset.files.split(" "),
    text: null,
  }));

  function matches(incident, wanted) {
    if (status.value && incident.status !== status.value) return false;
    if (file.value && !incident.files.includes(file.value)) return false;
    if (!wanted) return true;
    incident.text ??= incident.element.textContent.toLowerCase();
    return incident.text.includes(wanted);
  }

  function filter() {
    const wanted = text.value.trim().toLowerCase();
    let count = 0;
    for (const incident of incidents) {
      const fits = matches(incident, wanted);
      incident.element.hidden = !fits;
      count += fits;
    }
    shown.textContent = shown.dataset.text.replace("{shown}", count).replace("{all}", incidents.length);
  }

  // Whoever follows a link to an incident sees it, whatever the filter said.
  function reveal(hash) {
    const target = /^#(incident|cause)-\d+$/.test(hash) && document.querySelector(hash);
    if (!target) return;
    if ("open" in target) target.open = true;
    if (target.hidden) {
      form.reset();
      filter();
    }
    target.scrollIntoView();
    target.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    if (link.dataset.status) {
      form.reset();
      status.value = link.dataset.status;
      filter();
    }
    const hash = link.getAttribute("href") ?? link.getAttribute("xlink:href");
    if (hash === location.hash) reveal(hash);
  });
  addEventListener("hashchange", () => reveal(location.hash));
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  form.hidden = false;
  filter();
  reveal(location.hash);
})();
