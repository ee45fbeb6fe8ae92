import { createRequire } from 'node:module'
import { isGlibcAtLeast } from '../processes/glibc.ts'

/** The oldest glibc version that can load the Linux builds of anvil 1.7. */
const OLDEST_GLIBC = '2.35'

const USE_ANOTHER_NODE = 'set EVM_RPC_URL to another Ethereum node to do without it'

/**
 * The package that contains the anvil program for each platform, as the optional dependencies of `@foundry-rs/anvil` 1.7.1
 * name them.
 */
const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'win32-x64': '@foundry-rs/anvil-win32-amd64',
}

/** The platform for which the anvil program is chosen; by default that of this machine. */
export interface Machine {
  readonly platform: string
  readonly arch: string
  /** `undefined` on systems without glibc: macOS, Windows, Alpine. */
  readonly glibcVersion: string | undefined
}

/**
 * Finds the anvil program that npm installed for a machine; no install script is needed.
 *
 * @returns its absolute path
 * @throws Error when no program exists for the machine, when it was not installed, or when the machine's C library is too
 * old for it; the message says what to do
 */
export function findAnvil(machine: Machine): string {
  const { platform, arch, glibcVersion } = machine
  const packageName = PLATFORM_PACKAGES[`${platform}-${arch}`]
  if (packageName === undefined) {
    throw new Error(`There is no anvil for ${platform} on ${arch}: ${USE_ANOTHER_NODE}`)
  }
  if (platform === 'linux' && !isGlibcAtLeast(glibcVersion, OLDEST_GLIBC)) {
    const found = glibcVersion === undefined ? 'this system has none' : `this system has ${glibcVersion}`
    throw new Error(`anvil needs glibc ${OLDEST_GLIBC} or newer, and ${found}: ${USE_ANOTHER_NODE}`)
  }
  return resolveProgram(packageName, platform)
}

function resolveProgram(packageName: string, platform: string): string {
  const program = platform === 'win32' ? 'anvil.exe' : 'anvil'
  try {
    // Resolved from anvil's own package, because a strict package manager makes optional dependencies visible only to the
    // package that declares them.
    const fromHere = createRequire(import.meta.url)
    const fromAnvil = createRequire(fromHere.resolve('@foundry-rs/anvil/package.json'))
    return fromAnvil.resolve(`${packageName}/bin/${program}`)
  } catch (error) {
    const message =
      `anvil's program is not installed: install with optional dependencies (it comes in ${packageName}), ` +
      `or ${USE_ANOTHER_NODE}`
    throw new Error(message, { cause: error })
  }
}
