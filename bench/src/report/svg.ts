/** Sizes in the drawing's own units, a pixel each where it is not scaled. */
export const WIDTH = 760
export const LABEL_WIDTH = 190
const FIGURE_WIDTH = 70
/** Where bars may be. */
export const BARS = WIDTH - LABEL_WIDTH - FIGURE_WIDTH - 24

/** How much of a scale is left free behind the longest bar or goal. */
export const HEADROOM = 1.04

/** A part of the drawing, as high as it is, placed when it is drawn. */
export interface DrawnPanel {
  readonly height: number
  readonly draw: (top: number) => string
}

/** Where the two lines above the bars are, and the bars begin. */
export const HEAD_HEIGHT = 64

/** A title, and a quiet line below it. */
export function drawHead(top: number, title: string, about: string): string {
  return `<text class="title" x="0" y="${top + 20}">${escape(title)}</text>
<text class="quiet" x="0" y="${top + 40}">${escape(about)}</text>`
}

/** To a tenth. */
export function round(number: number): number {
  return Math.round(number * 10) / 10
}

/** For text between tags. */
export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
