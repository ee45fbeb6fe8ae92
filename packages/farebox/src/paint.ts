import { styleText } from 'node:util'

/** Colours for explanations; the meaning never depends on them alone. */
export interface Paint {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
}

/** For logs, files and pipes. */
export const PLAIN: Paint = { bold: text => text, dim: text => text, red: text => text }

/** For a terminal that shows colours. */
export const COLOURED: Paint = {
  bold: text => styleText('bold', text),
  dim: text => styleText('dim', text),
  red: text => styleText('red', text),
}
