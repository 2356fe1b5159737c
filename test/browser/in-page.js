// Runs in the page, behind Mermaid's own script: draws its charts, and reads off what a person sees there.

/** Draws every chart, as GitHub does: strict, and from the text of the code block alone. */
async function drawCharts() {
  for (const code of document.querySelectorAll('code.language-mermaid')) {
    const place = document.createElement('div');
    place.className = 'mermaid';
    place.textContent = code.textContent;
    code.parentElement.replaceWith(place);
  }
  window.mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });
  await window.mermaid.run({ querySelector: '.mermaid' });
}

/** The box of an element on the page, in pixels. */
function boxOf(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}

/** What the page shows, as plain data. */
function look() {
  const charts = [...document.querySelectorAll('.mermaid svg')];
  const inCharts = (selector) => charts.flatMap((chart) => [...chart.querySelectorAll(selector)]);
  const inText = [...document.querySelectorAll('article *')].filter((each) => !each.closest('.mermaid'));
  return {
    charts: charts.map(boxOf),
    bars: inCharts('rect.task').map((bar) => ({
      ...boxOf(bar),
      classes: bar.getAttribute('class'),
      fill: getComputedStyle(bar).fill,
    })),
    labels: inCharts('text.taskText, text.taskTextOutsideRight, text.taskTextOutsideLeft').map((label) => ({
      ...boxOf(label),
      text: label.textContent.trim(),
    })),
    names: inCharts('text.sectionTitle').map((name) => ({ ...boxOf(name), text: name.textContent })),
    ticks: inCharts('.grid .tick text').map((tick) => ({ ...boxOf(tick), text: tick.textContent })),
    chartTags: [...new Set(inCharts('*').map((each) => each.tagName.toLowerCase()))].sort(),
    tags: [...new Set(inText.map((each) => each.tagName.toLowerCase()))].sort(),
    rows: [...document.querySelectorAll('article tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.textContent),
    ),
    links: [...document.querySelectorAll('article a')].map((link) => link.getAttribute('href')),
    text: document.querySelector('article').innerText,
    zone: new Date().getTimezoneOffset(),
  };
}

Object.assign(window, { drawCharts, look });
