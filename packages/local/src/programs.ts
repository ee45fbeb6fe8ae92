import { fileURLToPath } from 'node:url'

/**
 * The program `farebox-facilitator`, where npm put it: beside us in node_modules, or in this repository. As it was
 * built, also where we run from sources ourselves.
 */
export function facilitatorProgram(): string {
  const manifest = import.meta.resolve('@farebox/facilitator/package.json')
  return fileURLToPath(new URL('bin/farebox-facilitator.js', manifest))
}

/** The program `farebox-platform`, found likewise. */
export function platformProgram(): string {
  const manifest = import.meta.resolve('@farebox/platform/package.json')
  return fileURLToPath(new URL('bin/farebox-platform.js', manifest))
}

/** The runtime's program `farebox`, found likewise. */
export function fareboxProgram(): string {
  return fileURLToPath(new URL('bin/farebox.js', import.meta.resolve('farebox/package.json')))
}
