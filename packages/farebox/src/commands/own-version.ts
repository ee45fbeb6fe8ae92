import { createRequire } from 'node:module'

/** The version of this package, as published. */
export function ownVersion(): string {
  // The package is resolved by its own name, which works from the sources, the build and the bundle alike.
  const { version } = createRequire(import.meta.url)('farebox/package.json') as { readonly version: string }
  return version
}
