import { readFileSync } from 'node:fs'

/** What the page is made of beside its text: ours, as it stands in the files. */
export interface PageFiles {
  readonly script: string
  readonly style: string
}

/** Reads them, from the sources: they are sent as they were written, and no compiler is there for browsers. */
export function readPageFiles(): PageFiles {
  return { script: read('stake-page.js'), style: read('stake-page.css') }
}

function read(name: string): string {
  // The same from src/stake-page and from dist/stake-page.
  return readFileSync(new URL(`../../src/stake-page/browser/${name}`, import.meta.url), 'utf8')
}
