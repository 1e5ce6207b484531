// Runs before the first paint, so it is no module: the chosen colours must be there from the start.
try {
  const theme = localStorage.getItem("dragoman.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* storage is switched off */ }
