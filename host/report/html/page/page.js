// The report's page. Everything that comes from the program is data: it is set as text, never as markup. Views are made anew from the
// data and the address (#2/step=17), which is all the state there is.
// @ts-check

/** @typedef {{file: string, line: number, function: string}} Place */
/** @typedef {{thread: number, step: number, what: string, where: Place, object: string, stack: Place[], explains: boolean,
 *   violates: boolean, preempts: boolean}} Step */
/** @typedef {{thread: number, object: string, from: number, to: number, waits: boolean, shared: boolean, open: boolean}} Span */
/** @typedef {{from: number, to: number, why: string}} Order */
/** @typedef {{id: number, title: string, doing: string, stack: Place[]}} Thread */
/** @typedef {{threads: Thread[], steps: Step[], spans: Span[], orders: Order[], left_out: number}} Execution */
/** @typedef {{level: string, counts: boolean, kind: string, message: string, where: Place, id: string, count: number, of: number,
 *   object: string, cause: string, title: string, sentences: string[], suggestion: string, thread: number, printed: string, told: string,
 *   replay: string, execution: Execution, passing: Execution | null}} Finding */
/** @typedef {{file: string, parts: {first: number, lines: string[]}[]}} Source */
/** @typedef {{file: string, threads: {id: number, title: string}[], words: string[], objects: string[],
 *   places: Place[], count: number, problem: string,
 *   columns: {[name: string]: {bytes: number, data: string}}}} Trace */
/** @typedef {{version: string, command: string, program: string, arguments: string[], command_line: string, build: string,
 *   verdict: string, covered: string,
 *   not_covered: string[], notes: string[], problems: string[], counts: {what: string, number: number}[], seconds: number,
 *   findings: Finding[], traces: Trace[], sources: Source[]}} Content */

/**
 * What a timeline shows, by row: the steps of a finding, or the events of a trace.
 * @typedef {{count: number, threads: {id: number, title: string}[], lane(row: number): number, words(row: number): string,
 *   place(row: number): Place | null, object(row: number): string, number(row: number): number, mark(row: number): string,
 *   preempts(row: number): boolean, stack(row: number): Place[], spans: Span[], orders: Order[]}} Rows
 */

/** @type {Content} */
const report = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent || "{}");
const head = /** @type {HTMLElement} */ (document.getElementById("head"));
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const said = /** @type {HTMLElement} */ (document.getElementById("said"));

/**
 * Characters that would change how the text around them reads become visible.
 * @param {string} text */
const shown = (text) =>
  // eslint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

/**
 * An element with children; strings become text.
 * @param {string} name @param {{[key: string]: string}} attributes @param {(Node | string)[]} children
 */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const child of children) made.append(typeof child === "string" ? shown(child) : child);
  return made;
}
/**
 * The program's own words, whatever direction they are written in.
 * @param {string} text */
const own = (text) => element("bdi", {}, text);
/** @param {Place | null} place */
const placeText = (place) => !place ? "" : place.file ? `${place.file.split("/").pop()}:${place.line}` : place.function;
/** @param {number} count @param {string} noun */
const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** @param {Execution} execution @returns {Rows} */
function rowsOfExecution(execution) {
  const lanes = new Map(execution.threads.map((thread, lane) => [thread.id, lane]));
  const step = (/** @type {number} */ row) => execution.steps[row];
  return {
    count: execution.steps.length, threads: execution.threads, spans: execution.spans, orders: execution.orders,
    lane: (row) => lanes.get(step(row).thread) ?? 0,
    words: (row) => shown(step(row).what),
    place: (row) => step(row).where.file || step(row).where.function ? step(row).where : null,
    object: (row) => step(row).object,
    number: (row) => step(row).step,
    mark: (row) => step(row).violates ? "violates" : step(row).explains ? "explains" : "",
    preempts: (row) => step(row).preempts,
    stack: (row) => step(row).stack,
  };
}

/** @param {string} data */
function fromBase64(data) {
  const native = /** @type {{fromBase64?: (text: string) => Uint8Array}} */ (/** @type {unknown} */ (Uint8Array));
  if (native.fromBase64) return native.fromBase64(data);
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** @param {{bytes: number, data: string}} column @param {number} count */
function numbers(column, count) {
  const bytes = fromBase64(column.data);
  const all = column.bytes === 1 ? bytes : column.bytes === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
  return all.subarray(0, count);
}

/** @param {Trace} trace @returns {Rows} */
function rowsOfTrace(trace) {
  const column = (/** @type {string} */ name) => numbers(trace.columns[name], trace.count);
  const [lane, words, object, place, step] = ["lane", "words", "object", "place", "step"].map(column);
  return {
    count: trace.count, threads: trace.threads, spans: [], orders: [],
    lane: (row) => lane[row],
    words: (row) => shown(trace.words[words[row]]),
    place: (row) => place[row] === 0 ? null : trace.places[place[row]],
    object: (row) => trace.objects[object[row]],
    number: (row) => step[row],
    mark: () => "", preempts: () => false, stack: () => [],
  };
}

/** Where the address says we are. What is no address is the overview's. */
function address() {
  const [view, ...more] = location.hash.slice(1).split("/");
  const rest = more.join("/");
  const options = new URLSearchParams(rest);
  return {view, row: Math.max(0, (Number(options.get("step")) || 1) - 1), thread: options.get("thread") ?? "",
    object: options.get("object") ?? "", has: options.has("step")};
}
/** @param {string} view @param {number} row @param {string} thread @param {string} object */
function remember(view, row, thread, object) {
  const options = new URLSearchParams({step: String(row + 1)});
  if (thread) options.set("thread", thread);
  if (object) options.set("object", object);
  history.replaceState(null, "", `#${view}/${options}`);
}

/** Colours of the scheme, for the canvas. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  return (/** @type {string} */ name) => style.getPropertyValue("--" + name).trim();
}

/** Threads side by side, time downwards; draws what is visible, so that its length does not matter. */
class Timeline {
  static head = 26;
  static tallest = 34;

  /** @param {Rows} rows @param {(row: number) => void} onChoose @param {string} name */
  constructor(rows, onChoose, name) {
    this.rows = rows;
    this.onChoose = onChoose;
    this.row = 0;
    this.difference = -1;
    this.height = 22;
    this.thread = "";
    this.object = "";
    this.margin = 40 + 8 * String(rows.count).length;
    /** @type {Set<number>} */
    this.found = new Set();
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.spacer = element("div");
    this.scroller = element("div", {class: "scroller", tabindex: "0", role: "group",
      "aria-label": `${name}: timeline of ${counted(rows.count, "step")}. Arrow keys go from step to step.`}, this.canvas, this.spacer);
    this.element = element("div", {class: "frame"}, this.scroller);
    this.element.style.height = `min(66vh, ${Timeline.head + rows.count * this.height + 30}px)`;
    this.scroller.addEventListener("scroll", () => this.redraw());
    this.canvas.addEventListener("click", (event) => {
      const row = this.rowAt(event);
      if (row >= 0) this.onChoose(row);
      this.scroller.focus({preventScroll: true});
    });
    this.canvas.addEventListener("mousemove", (event) => this.hover(event));
    this.canvas.addEventListener("mouseleave", () => tip.remove());
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.slots = this.makeSlots();
    this.byRow = this.ordersByRow();
  }

  /** Spans of a thread that overlap stand beside each other. */
  makeSlots() {
    /** @type {Map<number, number[]>} */
    const ends = new Map();
    return this.rows.spans.map((span) => {
      const used = ends.get(span.thread) ?? [];
      ends.set(span.thread, used);
      let slot = used.findIndex((end) => end <= span.from);
      if (slot < 0) slot = used.length;
      used[slot] = span.open ? Infinity : span.to;
      return Math.min(slot, 3);
    });
  }
  ordersByRow() {
    /** @type {Map<number, Order[]>} */
    const map = new Map();
    for (const order of this.rows.orders) {
      for (const row of [order.from, order.to]) map.set(row, [...(map.get(row) ?? []), order]);
    }
    return map;
  }

  /** Events of each 256 rows by lane: what a pixel shows when rows are smaller than that. */
  buckets() {
    if (this.bits) return this.bits;
    const lanes = this.rows.threads.length;
    this.bits = new Uint8Array(Math.ceil(this.rows.count / 256) * lanes);
    for (let row = 0; row < this.rows.count; ++row) this.bits[(row >> 8) * lanes + this.rows.lane(row)] = 1;
    return this.bits;
  }

  get viewHeight() { return this.element.clientHeight - Timeline.head; }
  get whole() { return Math.min(30e6, Math.max(this.rows.count * this.height, 1)); }
  /** The first visible row, with its fraction. */
  get top() { return this.scroller.scrollTop / this.whole * this.rows.count; }
  get laneWidth() {
    return Math.max((this.element.clientWidth - this.margin - 16) / Math.max(this.rows.threads.length, 1), 130);
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [this.scroller.clientWidth, this.scroller.clientHeight];
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.width = width + "px";
    this.canvas.style.height = height + "px";
    this.spacer.style.height = `${Math.max(this.whole + Timeline.head - height, 0)}px`;
    this.spacer.style.width = `${this.margin + this.laneWidth * this.rows.threads.length}px`;
    this.redraw();
  }
  /** @param {number} factor */
  zoom(factor) {
    const least = Math.min(1, this.viewHeight / Math.max(this.rows.count, 1));
    this.height = Math.min(Timeline.tallest, Math.max(least, this.height * factor));
    this.resize();
    this.center();
  }
  center() {
    const middle = (this.row + 0.5 - this.viewHeight / this.height / 2) / Math.max(this.rows.count, 1);
    this.scroller.scrollTop = middle * this.whole;
  }
  /** @param {number} row */
  choose(row) {
    this.row = row;
    const first = this.top;
    const last = first + this.viewHeight / this.height - 1;
    if (row < first + 1 || row > last - 1) this.center();
    const left = this.x(this.rows.lane(row));
    if (left < this.margin || left + this.laneWidth > this.element.clientWidth)
      this.scroller.scrollLeft += left - this.margin - Math.max(0, (this.element.clientWidth - this.margin - this.laneWidth) / 2);
    this.redraw();
  }

  /** @param {MouseEvent} event */
  rowAt(event) {
    const y = event.clientY - this.canvas.getBoundingClientRect().top - Timeline.head;
    const row = Math.floor(this.top + y / this.height);
    return y < 0 || row < 0 || row >= this.rows.count ? -1 : row;
  }
  /** @param {MouseEvent} event */
  hover(event) {
    const row = this.rowAt(event);
    if (row < 0) { tip.remove(); return; }
    tip.textContent = shown(describe(this.rows, row).join("\n"));
    document.body.append(tip);
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }

  /** @param {number} lane */
  x(lane) { return this.margin + lane * this.laneWidth - this.scroller.scrollLeft; }
  /** @param {number} row */
  y(row) { return Timeline.head + (row - this.top) * this.height; }
  /** @param {number} row */
  markX(row) { return this.x(this.rows.lane(row)) + 30; }
  /** @param {number} row */
  isFaint(row) {
    return (this.thread !== "" && String(this.rows.threads[this.rows.lane(row)].id) !== this.thread) ||
      (this.object !== "" && this.rows.object(row) !== this.object);
  }

  draw() {
    const pen = this.canvas.getContext("2d");
    if (!pen || this.canvas.width === 0) return;
    const ratio = devicePixelRatio || 1;
    const colour = colours();
    const [width, height] = [this.canvas.width / ratio, this.canvas.height / ratio];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colour("paper");
    pen.fillRect(0, 0, width, height);
    const first = Math.max(0, Math.floor(this.top));
    const last = Math.min(this.rows.count, Math.ceil(this.top + (height - Timeline.head) / this.height));
    pen.save();
    pen.beginPath();
    pen.rect(0, Timeline.head, width, height - Timeline.head);
    pen.clip();
    this.drawLanes(pen, colour, height);
    if (this.height < 1) {
      this.drawDense(pen, colour, height);
    } else {
      this.drawBackgrounds(pen, colour, first, last, width);
      this.drawSpans(pen, colour, first, last);
      if (this.height >= 6) this.drawOrders(pen, colour, first, last);
      for (let row = first; row < last; ++row) this.drawRow(pen, colour, row);
      this.drawMargin(pen, colour, first, last, height);
    }
    pen.restore();
    this.drawHead(pen, colour, width);
  }

  /** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {number} height */
  drawLanes(pen, colour, height) {
    pen.strokeStyle = colour("line");
    pen.lineWidth = 1;
    for (let lane = 0; lane < this.rows.threads.length; ++lane) {
      const x = Math.round(this.x(lane)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, Timeline.head);
      pen.lineTo(x, height);
      pen.stroke();
    }
  }
  /** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {number} height */
  drawDense(pen, colour, height) {
    const bits = this.buckets();
    const lanes = this.rows.threads.length;
    pen.fillStyle = colour("arrow");
    for (let y = Timeline.head; y < height; ++y) {
      const from = Math.floor(this.top + (y - Timeline.head) / this.height);
      const to = Math.min(this.rows.count, Math.max(from + 1, Math.floor(this.top + (y + 1 - Timeline.head) / this.height)));
      for (let lane = 0; lane < lanes; ++lane) {
        let is = false;
        if (to - from >= 256) {
          for (let b = from >> 8; b < to >> 8 && !is; ++b) is = bits[b * lanes + lane] === 1;
        } else {
          for (let row = from; row < to && !is; ++row) is = this.rows.lane(row) === lane;
        }
        if (is) pen.fillRect(this.x(lane) + 24, y, 60, 1);
      }
    }
    pen.fillStyle = colour("now-edge");
    pen.fillRect(0, this.y(this.row), this.canvas.width, 2);
  }
  /** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {number} first @param {number} last
   * @param {number} width */
  drawBackgrounds(pen, colour, first, last, width) {
    for (let row = first; row < last; ++row) {
      const y = this.y(row);
      const mark = this.rows.mark(row);
      const x = this.x(this.rows.lane(row)) + 1;
      if (row === this.row) { pen.fillStyle = colour("now"); pen.fillRect(0, y, width, this.height); }
      if (mark) { pen.fillStyle = colour(mark); pen.fillRect(x, y, this.laneWidth - 1, this.height); }
      if (this.found.has(row)) { pen.fillStyle = colour("found"); pen.fillRect(x, y, this.laneWidth - 1, this.height); }
      if (row === this.row) {
        pen.strokeStyle = colour("now-edge");
        pen.strokeRect(0.5, Math.round(y) + 0.5, width - 1, this.height - 1);
      }
      if (this.rows.preempts(row) && this.height >= 4) {
        pen.strokeStyle = colour("preempt");
        pen.lineWidth = 1.5;
        pen.setLineDash([5, 3]);
        pen.beginPath(); pen.moveTo(0, y); pen.lineTo(width, y); pen.stroke();
        pen.setLineDash([]);
        pen.lineWidth = 1;
      }
      if (row === this.difference) {
        pen.strokeStyle = colour("violates-edge");
        pen.lineWidth = 2;
        pen.beginPath(); pen.moveTo(0, y); pen.lineTo(width, y); pen.stroke();
        pen.lineWidth = 1;
      }
    }
  }
  /** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {number} first @param {number} last */
  drawSpans(pen, colour, first, last) {
    const lanes = new Map(this.rows.threads.map((thread, lane) => [thread.id, lane]));
    this.rows.spans.forEach((span, index) => {
      const to = span.open ? this.rows.count : span.to;
      if (to < first || span.from > last) return;
      const x = this.x(lanes.get(span.thread) ?? 0) + 4 + this.slots[index] * 5;
      const y = this.y(span.from + 0.5);
      const end = this.y(span.open ? this.rows.count : to + 0.5);
      pen.fillStyle = colour(span.waits ? "wait" : "lock");
      pen.globalAlpha = this.object !== "" && span.object !== this.object ? 0.25 : 1;
      if (span.waits) {
        for (let at = y; at < end; at += 6) pen.fillRect(x, at, 4, Math.min(3, end - at));
      } else {
        pen.fillRect(x, y, 4, Math.max(end - y, 3));
      }
      pen.globalAlpha = 1;
    });
  }
  /** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {number} first @param {number} last */
  drawOrders(pen, colour, first, last) {
    const near = new Set(this.byRow.get(this.row) ?? []);
    for (const order of this.rows.orders) {
      if (order.to < first || order.from > last || near.has(order)) continue;
      this.drawArrow(pen, order, colour("arrow-faint"), 1);
    }
    for (const order of near) this.drawArrow(pen, order, colour("arrow"), 2);
  }
  /** @param {CanvasRenderingContext2D} pen @param {Order} order @param {string} colour @param {number} width */
  drawArrow(pen, order, colour, width) {
    const [x1, y1] = [this.markX(order.from), this.y(order.from + 0.5)];
    const [x2, y2] = [this.markX(order.to), this.y(order.to + 0.5)];
    const side = x2 > x1 ? 1 : -1;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(x1 + 5 * side, y1);
    pen.bezierCurveTo(x1 + 40 * side, y1, x2 - 40 * side, y2, x2 - 8 * side, y2);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x2 - 5 * side, y2);
    pen.lineTo(x2 - 12 * side, y2 - 4);
    pen.lineTo(x2 - 12 * side, y2 + 4);
    pen.fill();
    pen.lineWidth = 1;
  }
  /**
   * Numbers of rows and what is to be said of them; the lanes pass below it.
   * @param {CanvasRenderingContext2D} pen
   * @param {(name: string) => string} colour @param {number} first @param {number} last @param {number} height */
  drawMargin(pen, colour, first, last, height) {
    pen.fillStyle = colour("paper");
    pen.fillRect(0, Timeline.head, this.margin, height);
    const size = Math.min(13, this.height - 6);
    pen.textBaseline = "middle";
    for (let row = first; row < last; ++row) {
      const y = this.y(row + 0.5);
      if (row === this.row) {
        pen.fillStyle = colour("now");
        pen.fillRect(0, this.y(row), this.margin, this.height);
      }
      if (this.height < 13) continue;
      pen.font = `${size}px ui-monospace, "DejaVu Sans Mono", monospace`;
      pen.fillStyle = colour("soft");
      pen.textAlign = "right";
      pen.fillText(String(row + 1), this.margin - 8, y);
      pen.textAlign = "left";
      if (this.rows.preempts(row)) { pen.fillStyle = colour("preempt"); pen.fillText("\u21c4", 4, y); }
      if (row === this.difference) { pen.fillStyle = colour("violates-edge"); pen.fillText("\u2260", 18, y); }
    }
  }
  /** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {number} row */
  drawRow(pen, colour, row) {
    const mark = this.rows.mark(row);
    const [x, y] = [this.markX(row), this.y(row + 0.5)];
    pen.globalAlpha = this.isFaint(row) ? 0.3 : 1;
    pen.fillStyle = colour(mark === "violates" ? "violates-edge" : mark === "explains" ? "preempt" : "arrow");
    if (this.height < 6) {
      pen.fillRect(x - 4, y - Math.max(this.height, 1) / 2, 8, Math.max(this.height - 0.5, 1));
      pen.globalAlpha = 1;
      return;
    }
    pen.beginPath();
    pen.arc(x, y, mark ? 4.5 : 3.5, 0, 7);
    pen.fill();
    if (this.height >= 13) {
      const size = Math.min(13, this.height - 6);
      pen.textBaseline = "middle";
      const room = this.x(this.rows.lane(row)) + this.laneWidth - x - 14;
      const place = placeText(this.rows.place(row));
      pen.fillStyle = colour("ink");
      pen.font = `${mark ? "600 " : ""}${size}px system-ui, "DejaVu Sans", sans-serif`;
      const words = this.rows.words(row);
      // Arrows pass behind the words.
      pen.strokeStyle = colour(this.found.has(row) ? "found" : mark || (row === this.row ? "now" : "paper"));
      pen.lineWidth = 4;
      fitted(pen, words, x + 10, y, room, true);
      pen.lineWidth = 1;
      const used = pen.measureText(words).width + 12;
      pen.font = `${size - 1}px ui-monospace, "DejaVu Sans Mono", monospace`;
      if (place && used + pen.measureText(place).width <= room) {
        pen.fillStyle = colour("soft");
        pen.fillText(place, x + 10 + used, y);
      }
    }
    pen.globalAlpha = 1;
  }
  /** @param {CanvasRenderingContext2D} pen @param {(name: string) => string} colour @param {number} width */
  drawHead(pen, colour, width) {
    pen.fillStyle = colour("tint");
    pen.fillRect(0, 0, width, Timeline.head);
    pen.strokeStyle = colour("line");
    pen.beginPath(); pen.moveTo(0, Timeline.head - 0.5); pen.lineTo(width, Timeline.head - 0.5); pen.stroke();
    pen.font = `600 13px system-ui, "DejaVu Sans", sans-serif`;
    pen.textBaseline = "middle";
    pen.fillStyle = colour("ink");
    this.rows.threads.forEach((thread, lane) => fitted(pen, shown(thread.title), this.x(lane) + 8, Timeline.head / 2, this.laneWidth - 14));
    pen.fillStyle = colour("tint");
    pen.fillRect(0, 0, this.margin, Timeline.head - 1);
  }
}

const tip = element("div", {class: "tip", role: "presentation"});

/**
 * Text that ends where the room does; with an edge in the colour of lines, if it has one.
 * @param {CanvasRenderingContext2D} pen @param {string} text @param {number} x @param {number} y
 * @param {number} room @param {boolean} edged */
function fitted(pen, text, x, y, room, edged = false) {
  if (room < 12) return;
  let cut = text.length > 200 ? text.slice(0, 200) : text;
  if (pen.measureText(cut).width > room) {
    let [low, high] = [0, cut.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (pen.measureText(cut.slice(0, middle) + "\u2026").width <= room) low = middle; else high = middle - 1;
    }
    cut = cut.slice(0, low) + "\u2026";
  }
  if (edged) pen.strokeText(cut, x, y);
  pen.fillText(cut, x, y);
}

/**
 * A row in words, a fact a line.
 * @param {Rows} rows @param {number} row */
function describe(rows, row) {
  const title = rows.threads[rows.lane(row)].title;
  const lines = [`${row + 1}. ${title}: ${rows.words(row)}`];
  const place = rows.place(row);
  if (place) lines.push(`at ${placeText(place)}${place.file && place.function ? " in " + place.function : ""}`);
  for (const frame of rows.stack(row).slice(1)) lines.push(`  called at ${placeText(frame)} in ${frame.function}`);
  const id = rows.threads[rows.lane(row)].id;
  for (const span of rows.spans) {
    if (span.thread !== id || span.from > row || (!span.open && span.to < row)) continue;
    lines.push(`${span.waits ? "waits for" : "has"} ${span.object || "a lock"}${span.shared ? " for reading" : ""}`);
  }
  for (const order of rows.orders) {
    if (order.to === row) lines.push(`after ${order.from + 1} (${order.why})`);
    if (order.from === row) lines.push(`before ${order.to + 1} (${order.why})`);
  }
  if (rows.preempts(row)) lines.push("a preemption: the thread before could have gone on");
  lines.push(`step ${rows.number(row)} of the schedule`);
  return lines;
}

/**
 * The source around where the threads are.
 * @param {HTMLElement} box @param {Rows} rows @param {number} now */
function showSource(box, rows, now) {
  /** @type {Map<number, Place>} */
  const at = new Map();
  for (let row = now, left = 5000; row >= 0 && at.size < rows.threads.length && left > 0; --row, --left) {
    const place = rows.place(row);
    if (place && place.file && !at.has(rows.lane(row))) at.set(rows.lane(row), place);
  }
  const mine = at.get(rows.lane(now));
  const own_place = mine ?? [...at.values()][0];
  box.replaceChildren();
  const name = (/** @type {number} */ lane) => "T" + rows.threads[lane].id;
  if (!own_place) { box.append(element("p", {class: "soft"}, "No line of the program is known for this step.")); return; }
  box.append(element("h3", {}, own(own_place.file)));
  const source = report.sources.find((one) => one.file === own_place.file);
  const text = element("div", {class: "source", tabindex: "0", role: "region", "aria-label": "Source"});
  if (!source) {
    text.append(element("div", {class: "gap"}, `line ${own_place.line}; the source is not part of this report`));
  } else {
    source.parts.forEach((part, index) => {
      if (index > 0) text.append(element("div", {class: "gap"}, "\u22ef"));
      part.lines.forEach((line, offset) => {
        const number = part.first + offset;
        const here = [...at].filter(([, place]) => place.file === source.file && place.line === number).map(([lane]) => lane);
        const current = number === mine?.line;
        const kind = `row${here.length ? " at" : ""}${current ? " now" : ""}${current && rows.mark(now) === "violates" ? " violates" : ""}`;
        text.append(element("div", {class: kind, ...(current ? {"aria-current": "true"} : {})},
          element("span", {}, here.map(name).join(" ")), element("span", {}, String(number)), element("span", {class: "code"}, line)));
      });
    });
  }
  box.append(text);
  const elsewhere = [...at].filter(([, place]) => place.file !== own_place.file);
  for (const [lane, place] of elsewhere) box.append(element("p", {class: "soft"}, name(lane) + " is at ", own(`${place.file}:${place.line}`)));
  const line = /** @type {HTMLElement | null} */ (text.querySelector(".now") ?? text.querySelector(".at"));
  if (line) text.scrollTop = line.offsetTop - text.offsetTop - text.clientHeight / 2;
}

/**
 * Where the schedules of two executions part: the first rows of the step that another thread executes, in either; null if none does. Rows
 * themselves are no measure: one execution may show an access that the other, in which nobody else used the place, does not.
 * @param {Rows} a @param {Rows} b
 */
function firstDifference(a, b) {
  const threads = (/** @type {Rows} */ rows) => {
    /** @type {Map<number, number>} */
    const map = new Map();
    for (let row = 0; row < rows.count; ++row) if (!map.has(rows.number(row))) map.set(rows.number(row), rows.threads[rows.lane(row)].id);
    return map;
  };
  const [one, two] = [threads(a), threads(b)];
  const step = [...one.keys()].sort((x, y) => x - y).find((key) => two.has(key) && two.get(key) !== one.get(key));
  if (step === undefined) return null;
  const first = (/** @type {Rows} */ rows) => {
    let row = 0;
    while (rows.number(row) < step) ++row;
    return row;
  };
  return {here: first(a), there: first(b)};
}

/**
 * The row of the other execution that a row is shown beside: before they part the same step, then as many rows later.
 * @param {Rows} a @param {Rows} b @param {number} row @param {{here: number, there: number} | null} parting
 */
function beside(a, b, row, parting) {
  if (parting && row >= parting.here) return Math.min(parting.there + row - parting.here, b.count - 1);
  let best = 0;
  for (let other = 0; other < b.count && b.number(other) <= a.number(row); ++other) {
    best = other;
    if (b.number(other) === a.number(row) && b.words(other) === a.words(row)) break;
  }
  return best;
}

/**
 * A table of the rows around one: the same content, for screen readers and for paper.
 * @param {Rows} rows @param {number} now
 * @param {(row: number) => void} choose */
function rowsTable(rows, now, choose) {
  const most = 500;
  const first = rows.count <= most ? 0 : Math.max(0, Math.min(now - most / 2, rows.count - most));
  const body = element("tbody");
  for (let row = first; row < Math.min(rows.count, first + most); ++row) {
    const place = rows.place(row);
    const go = element("button", {type: "button", "aria-label": `go to step ${row + 1}`}, String(row + 1));
    go.addEventListener("click", () => choose(row));
    body.append(element("tr", {class: `${rows.mark(row)}${row === now ? " now" : ""}`, "data-row": String(row)},
      element("td", {class: "number"}, go), element("td", {}, own(rows.threads[rows.lane(row)].title)), element("td", {}, own(rows.words(row))),
      element("td", {class: "code"}, own(placeText(place))), element("td", {}, own(describe(rows, row).slice(place ? 2 : 1).join("; ")))));
  }
  const caption = rows.count > most ? `Steps ${first + 1} to ${first + most} of ${rows.count}` : `All ${counted(rows.count, "step")}`;
  return element("table", {class: "steps"}, element("caption", {class: "soft"}, caption), element("thead", {}, element("tr", {},
    ...["step", "thread", "what", "where", "besides"].map((title) => element("th", {scope: "col"}, title)))), body);
}

/**
 * A timeline with its controls, its source and its table.
 * @param {string} view @param {Rows} rows @param {Rows | null} passing */
function story(view, rows, passing) {
  const box = element("div");
  if (rows.count === 0) {
    box.append(element("p", {class: "soft"}, "No steps of this finding are known."));
    return box;
  }
  const start = address();
  let row = Math.min(start.has && start.view === view ? start.row : Math.max(0, rows.count - 1), rows.count - 1);
  const timeline = new Timeline(rows, (chosen) => go(chosen), "The execution");
  /** @type {Timeline | null} */
  const other = passing && passing.count > 0 ? new Timeline(passing, (chosen) => other?.choose(chosen), "The nearest that passes") : null;
  const parting = passing && passing.count > 0 ? firstDifference(rows, passing) : null;
  timeline.thread = start.view === view ? start.thread : "";
  timeline.object = start.view === view ? start.object : "";

  const button = (/** @type {string} */ label, /** @type {string} */ title, /** @type {() => void} */ act) => {
    const made = element("button", {type: "button", title}, label);
    made.addEventListener("click", act);
    return made;
  };
  const wanted = (/** @type {number} */ one) => !timeline.isFaint(one);
  const move = (/** @type {number} */ by) => {
    let next = row + by;
    while (next >= 0 && next < rows.count && !wanted(next)) next += by;
    if (next >= 0 && next < rows.count) go(next);
  };
  const moveToSwitch = (/** @type {number} */ by) => {
    for (let next = row + by; next > 0 && next < rows.count; next += by) {
      if (rows.lane(next) !== rows.lane(next - 1)) { go(next); return; }
    }
  };
  const moveToFound = (/** @type {number} */ by) => {
    const list = [...timeline.found].sort((a, b) => a - b);
    if (list.length === 0) return;
    go(by > 0 ? list.find((one) => one > row) ?? list[0] : list.reverse().find((one) => one < row) ?? list[0]);
  };
  const choice = (/** @type {string} */ label, /** @type {[string, string][]} */ options, /** @type {string} */ value,
    /** @type {(value: string) => void} */ take) => {
    const select = /** @type {HTMLSelectElement} */ (element("select", {"aria-label": label},
      ...options.map(([key, text]) => element("option", {value: key}, text))));
    select.value = value;
    select.addEventListener("change", () => { take(select.value); go(row); });
    return select;
  };
  const names = new Set();
  for (let i = 0; i < Math.min(rows.count, 20000); ++i) if (rows.object(i)) names.add(rows.object(i));
  const search = /** @type {HTMLInputElement} */ (element("input", {type: "search", placeholder: "search", "aria-label": "Search in steps", size: "14"}));
  search.addEventListener("input", () => {
    timeline.found.clear();
    const text = search.value.toLowerCase();
    for (let i = 0; text && i < rows.count; ++i) {
      if (rows.words(i).toLowerCase().includes(text) || placeText(rows.place(i)).toLowerCase().includes(text)) timeline.found.add(i);
    }
    timeline.redraw();
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { moveToFound(event.shiftKey ? -1 : 1); event.preventDefault(); }
  });
  const where = element("span", {class: "soft", id: "where"});
  box.append(element("div", {class: "bar", role: "toolbar", "aria-label": "Steps"},
    button("\u25c0", "the step before (arrow up or left)", () => move(-1)), button("\u25b6", "the next step (arrow down or right)", () => move(1)),
    button("\u21c4 next switch", "to the next switch of threads (n)", () => moveToSwitch(1)),
    button("\u2212", "smaller (-)", () => timeline.zoom(1 / 1.4)), button("+", "larger (+)", () => timeline.zoom(1.4)),
    choice("Follow a thread", [["", "all threads"], ...rows.threads.map((thread) => /** @type {[string, string]} */ ([String(thread.id), thread.title]))],
      timeline.thread, (value) => { timeline.thread = value; }),
    choice("Follow an object", [["", "all objects"], ...[...names].sort().map((name) => /** @type {[string, string]} */ ([name, name]))],
      timeline.object, (value) => { timeline.object = value; }),
    search, where));

  const side = element("div", {class: "side"});
  const facts = element("div", {id: "step", class: "soft"});
  const source = element("div");
  side.append(facts, source);
  const pictures = element("div", {class: "pictures"}, element("div", {class: "picture"}, ...(other ? [element("h3", {}, "This execution")] : []),
    timeline.element));
  if (other && passing) {
    if (parting) [timeline.difference, other.difference] = [parting.here, parting.there];
    const second = element("div", {class: "picture"}, element("h3", {}, "The nearest one that passes"), other.element);
    const toggle = /** @type {HTMLInputElement} */ (element("input", {type: "checkbox", id: "beside"}));
    const place = () => { second.hidden = !toggle.checked; };
    toggle.checked = innerWidth >= 1700;
    toggle.addEventListener("change", () => { place(); timeline.resize(); other.resize(); go(row); });
    place();
    box.querySelector(".bar")?.append(element("label", {for: "beside"}, toggle, " beside it the nearest one that passes"));
    pictures.append(second);
    const said_of = (/** @type {Rows} */ one, /** @type {number} */ at) => `${one.threads[one.lane(at)].title} ${one.words(at)}`;
    if (parting) {
      box.append(element("p", {id: "difference"}, `First difference, row ${parting.here + 1}: here `, own(said_of(rows, parting.here)),
        "; in the one that passes ", own(said_of(passing, parting.there)), "."));
    }
  }
  const keys = element("p", {class: rows.spans.length > 0 ? "" : "unseen"}, ...[["lock", "has a lock"], ["wait", "waits"], ["explains", "matters"], ["violates", "goes wrong here"]].map(([name, text]) =>
    element("span", {class: "key", style: "margin-right: 1rem"}, element("i", {style: `background: var(--${name})`}), text)),
    element("span", {class: "key", style: "margin-right: 1rem"}, "\u21c4 preemption"), element("span", {class: "key"}, "\u2192 what ordered what"));
  box.append(element("div", {class: "story"}, element("div", {}, pictures, keys), side));

  const table = element("details", {}, element("summary", {}, "The steps as a table"));
  const fill = () => { table.querySelector("table")?.remove(); if (/** @type {HTMLDetailsElement} */ (table).open) table.append(rowsTable(rows, row, go)); };
  table.addEventListener("toggle", fill);
  box.append(table);
  addEventListener("beforeprint", () => { /** @type {HTMLDetailsElement} */ (table).open = true; fill(); });

  timeline.scroller.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(timeline.viewHeight / timeline.height) - 1);
    /** @type {{[key: string]: () => void}} */
    const acts = {
      ArrowDown: () => move(1), ArrowRight: () => move(1), ArrowUp: () => move(-1), ArrowLeft: () => move(-1),
      Home: () => go(0), End: () => go(rows.count - 1), PageDown: () => go(Math.min(rows.count - 1, row + page)),
      PageUp: () => go(Math.max(0, row - page)), n: () => moveToSwitch(1), N: () => moveToSwitch(-1),
      "+": () => timeline.zoom(1.4), "-": () => timeline.zoom(1 / 1.4), "/": () => search.focus(),
    };
    if (!acts[event.key]) return;
    acts[event.key]();
    event.preventDefault();
  });

  /** @param {number} next */
  function go(next) {
    row = next;
    remember(view, row, timeline.thread, timeline.object);
    timeline.choose(row);
    if (other) other.choose(beside(rows, other.rows, row, parting));
    where.textContent = `${row + 1} of ${rows.count}`;
    const lines = describe(rows, row);
    facts.replaceChildren(element("strong", {}, own(lines[0])), ...lines.slice(1).map((line) => element("div", {}, own(line))));
    showSource(source, rows, row);
    said.textContent = shown(lines.join(". "));
    for (const line of table.querySelectorAll("tr[data-row]")) line.classList.toggle("now", line.getAttribute("data-row") === String(row));
  }
  requestAnimationFrame(() => { timeline.resize(); other?.resize(); go(row); timeline.center(); timeline.scroller.focus({preventScroll: true}); });
  return box;
}

/** @param {Finding} finding */
const rate = (finding) => finding.of > 0 ? `${finding.count.toLocaleString("en")} of ${counted(finding.of, "execution")}`
  : finding.count > 1 ? counted(finding.count, "execution") : "";
/** @param {string} level */
const levelTag = (level) => element("span", {class: `level ${level}`}, level);

/** @param {number} index */
function findingView(index) {
  const finding = report.findings[index];
  main.replaceChildren(element("p", {}, element("a", {href: "#"}, "\u2190 overview")),
    element("h2", {}, levelTag(finding.level), ` ${index + 1}. `, own(finding.message)));
  if (finding.title) main.append(element("p", {}, element("strong", {}, own(finding.title))));
  for (const sentence of finding.sentences) main.append(element("p", {}, own(sentence)));
  if (finding.suggestion) main.append(element("p", {class: "suggestion"}, element("strong", {}, "Suggestion: "), own(finding.suggestion)));
  const facts = element("dl", {class: "facts"});
  const fact = (/** @type {string} */ name, /** @type {string} */ value) => {
    if (value) facts.append(element("dt", {}, name), element("dd", {}, own(value)));
  };
  fact("where", finding.where.file ? `${finding.where.file}:${finding.where.line} in ${finding.where.function}` : finding.where.function);
  fact("seen in", rate(finding));
  fact("again", finding.replay ? `raddle replay ${finding.replay}` : "");
  main.append(facts);
  if (finding.execution.left_out > 0)
    main.append(element("p", {class: "soft"}, `The first ${counted(finding.execution.left_out, "step")} are left out.`));
  if (finding.told) main.append(element("h3", {}, "As it was explained when it was saved"), element("pre", {class: "printed told"}, finding.told));
  else main.append(story(String(index + 1), rowsOfExecution(finding.execution), finding.passing ? rowsOfExecution(finding.passing) : null));
  const ended = finding.execution.threads.filter((thread) => thread.doing);
  if (ended.length > 0) {
    main.append(element("h3", {}, "How the threads ended"));
    for (const thread of ended) {
      const stack = thread.stack.filter((frame) => frame.file || frame.function);
      main.append(element("details", {}, element("summary", {}, own(thread.title), " ", own(thread.doing)),
        element("ul", {}, ...stack.map((frame) => element("li", {class: "code"}, own(`${placeText(frame)}  ${frame.file ? frame.function : ""}`))))));
    }
  }
  if (finding.printed) main.append(element("h3", {}, "The program printed"), element("pre", {class: "printed"}, finding.printed));
}

/** @param {number} index */
function traceView(index) {
  const trace = report.traces[index];
  main.replaceChildren(element("p", {}, element("a", {href: "#"}, "\u2190 overview")), element("h2", {}, "Trace ", own(trace.file)));
  if (trace.problem) main.append(element("p", {class: "problem"}, own(trace.problem)));
  main.append(story(`trace${index + 1}`, rowsOfTrace(trace), null));
}

/**
 * The findings that pass the filters.
 * @param {{[name: string]: string}} wanted */
function chosenFindings(wanted) {
  return report.findings.map((finding, index) => ({finding, index})).filter(({finding}) =>
    (!wanted.level || finding.level === wanted.level) && (!wanted.kind || finding.kind === wanted.kind) &&
    (!wanted.file || finding.where.file === wanted.file) && (!wanted.object || finding.object === wanted.object));
}

function overview() {
  const counting = report.findings.filter((finding) => finding.counts).length;
  const verdicts = {found: counting === 1 ? "1 finding" : `${counting} findings`, nothing: "Nothing found", inconclusive: "Inconclusive", bad: "Bad input"};
  const verdict = /** @type {keyof typeof verdicts} */ (report.verdict);
  main.replaceChildren(element("p", {class: `verdict ${report.verdict}`}, verdicts[verdict]));
  for (const problem of report.problems) main.append(element("p", {class: "problem"}, own(problem)));
  const levels = (/** @type {boolean} */ counts) => {
    /** @type {{[level: string]: number}} */
    const numbers = {};
    for (const finding of report.findings) if (finding.counts === counts) numbers[finding.level] = (numbers[finding.level] ?? 0) + 1;
    return Object.entries(numbers).map(([level, count]) => `${count} ${level}`).join(", ");
  };
  const facts = element("dl", {class: "facts"});
  const fact = (/** @type {string} */ name, /** @type {string} */ value) => {
    if (value) facts.append(element("dt", {}, name), element("dd", {}, own(value)));
  };
  fact("by level", levels(true));
  fact("not counted", levels(false));
  fact("program", report.program);
  fact("build", report.build);
  fact("command", report.command_line || ["raddle", report.command, "--", report.program, ...report.arguments].join(" "));
  fact("numbers", report.counts.map(({what, number}) => `${number.toLocaleString("en")} ${number === 1 ? what.replace(/s$/, "") : what}`).join(", "));
  fact("time", report.seconds ? `${report.seconds.toFixed(1)} s` : "");
  fact("covered", report.covered);
  fact("not covered", report.not_covered.join("; "));
  for (const note of report.notes) fact("note", note);
  main.append(facts);
  if (report.findings.length > 0) main.append(findingsList());
  report.traces.forEach((trace, index) => main.append(element("p", {}, element("a", {href: `#trace${index + 1}`},
    "Trace ", own(trace.file)), ` ${counted(trace.count, "event")}, ${counted(trace.threads.length, "thread")}`,
    trace.problem ? element("span", {class: "problem"}, ` ${trace.problem}`) : "")));
}

function findingsList() {
  /** @type {{[name: string]: string}} */
  const wanted = {};
  const body = element("tbody");
  const fill = () => body.replaceChildren(...chosenFindings(wanted).map(({finding, index}) => element("tr", {},
    element("td", {}, levelTag(finding.level)), element("td", {class: "kind"}, own(finding.kind)),
    element("td", {}, element("a", {href: `#${index + 1}`}, own(finding.message)), finding.title ? element("div", {class: "soft"}, own(finding.title)) : ""),
    element("td", {class: "code"}, own(placeText(finding.where))), element("td", {class: "object"}, own(finding.object)), element("td", {class: "number"}, rate(finding)))));
  const filters = element("div", {class: "bar", role: "group", "aria-label": "Filters"});
  /** @type {[string, (finding: Finding) => string][]} */
  const kinds = [["level", (f) => f.level], ["kind", (f) => f.kind], ["file", (f) => f.where.file], ["object", (f) => f.object]];
  for (const [name, value] of kinds) {
    const values = [...new Set(report.findings.map(value).filter((text) => text))].sort();
    if (values.length < 2) continue;
    const select = /** @type {HTMLSelectElement} */ (element("select", {"aria-label": `Filter by ${name}`}, element("option", {value: ""}, `every ${name}`),
      ...values.map((text) => element("option", {value: text}, text))));
    select.addEventListener("change", () => { wanted[name] = select.value; fill(); });
    filters.append(select);
  }
  fill();
  return element("div", {}, filters, element("table", {}, element("thead", {}, element("tr", {},
    ...["level", "kind", "finding", "where", "object"].map((title) => element("th", {scope: "col"}, title)),
    element("th", {scope: "col", class: "number"}, "executions"))), body));
}

function show() {
  const {view} = address();
  tip.remove();
  const trace = /^trace(\d+)$/.exec(view);
  if (trace && report.traces[Number(trace[1]) - 1]) traceView(Number(trace[1]) - 1);
  else if (report.findings[Number(view) - 1]) findingView(Number(view) - 1);
  else overview();
}

document.title = shown(`${report.program}: raddle ${report.command}`);
head.replaceChildren(element("h1", {}, element("a", {href: "#"}, "Raddle"), " ", report.command), element("span", {class: "code"}, own(report.program)),
  element("span", {class: "soft"}, report.version));
addEventListener("hashchange", show);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("resize")));
show();
