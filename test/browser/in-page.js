// Runs in the page after Mermaid's own script to draw the charts and to return the visible content of the page.

/** Draws every chart as GitHub does, in strict mode and from the text of its code block. */
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

/** Returns the position and size of an element in pixels, and its text. */
function boxOf(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height, text: element.textContent.trim() };
}

/** Returns the visible content of the page as plain data. */
function look() {
  const inChart = (selector) => [...document.querySelectorAll(`.mermaid svg ${selector}`)];
  const inText = [...document.querySelectorAll('article *')].filter((each) => !each.closest('.mermaid'));
  const tagsOf = (elements) => [...new Set(elements.map((each) => each.tagName.toLowerCase()))];
  return {
    charts: [...document.querySelectorAll('.mermaid svg')].map(boxOf),
    bars: inChart('rect.task').map((bar) => ({
      ...boxOf(bar),
      isRed: getComputedStyle(bar).fill === 'rgb(255, 0, 0)',
    })),
    labels: inChart(':is(.taskText, .taskTextOutsideRight, .taskTextOutsideLeft)').map(boxOf),
    names: inChart('text.sectionTitle').map(boxOf),
    ticks: inChart('.grid .tick text').map(boxOf),
    chartTags: tagsOf(inChart('*')),
    tags: tagsOf(inText),
    rows: [...document.querySelectorAll('article tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.textContent),
    ),
    links: [...document.querySelectorAll('article a')].map((link) => link.getAttribute('href')),
    text: document.querySelector('article').innerText,
  };
}

Object.assign(window, { drawCharts, look });
