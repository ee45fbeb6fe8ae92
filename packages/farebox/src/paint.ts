import { styleText } from 'node:util'

/** The colours in which something is explained; meaning never hangs on them alone. */
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
