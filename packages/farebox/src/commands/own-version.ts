import { createRequire } from 'node:module'

/** The version of this package, as it is published. */
export function ownVersion(): string {
  // Two folders up from here, in sources and build alike.
  const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string }
  return version
}
