import { createRequire } from 'node:module'

/** The version of this package, as it is published. */
export function ownVersion(): string {
  // By its own name, which is the same from wherever this is in sources, build and bundle.
  const { version } = createRequire(import.meta.url)('farebox/package.json') as { readonly version: string }
  return version
}
