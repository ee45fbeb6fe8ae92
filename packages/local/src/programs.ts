import { fileURLToPath } from 'node:url'

/**
 * Returns the path of the program `farebox-facilitator`, where npm installed it: beside this package in node_modules, or in
 * this repository. It is always the built program, also when this package itself runs from its sources.
 */
export function facilitatorProgram(): string {
  const manifest = import.meta.resolve('@farebox/facilitator/package.json')
  return fileURLToPath(new URL('bin/farebox-facilitator.js', manifest))
}

/** Returns the path of the program `farebox-platform`, found in the same way. */
export function platformProgram(): string {
  const manifest = import.meta.resolve('@farebox/platform/package.json')
  return fileURLToPath(new URL('bin/farebox-platform.js', manifest))
}

/** Returns the path of the runtime's program `farebox`, found in the same way. */
export function fareboxProgram(): string {
  return fileURLToPath(new URL('bin/farebox.js', import.meta.resolve('farebox/package.json')))
}
