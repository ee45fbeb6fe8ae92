// The flags of npm start: read before anything is installed or built.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** In the order in which they are started. */
export const PORT_NAMES = ['chain', 'facilitator', 'platform', 'agents']

/** The possible names of a local chain; the first is that of stock x402 clients. */
export const CHAIN_IDS = [84_532, 31_337]
const DEFAULT_PORTS = { chain: 8545, facilitator: 4010, platform: 4000, agents: 3001 }
export const DEFAULT_FOLDER = '.farebox'

export const HELP = `npm start -- [options]

  --chain-id <id>             ${CHAIN_IDS.join(' or ')}; default ${CHAIN_IDS[0]}, which stock x402 clients know
  --chain-port <port>         default ${DEFAULT_PORTS.chain}
  --facilitator-port <port>   default ${DEFAULT_PORTS.facilitator}
  --platform-port <port>      default ${DEFAULT_PORTS.platform}
  --agents-port <port>        of the first agent, the others follow; default ${DEFAULT_PORTS.agents}
  --check-seconds <seconds>   between two checks of an agent by the platform; default 600
  --folder <folder>           where everything is kept, seen from this clone; default ${DEFAULT_FOLDER}
  --once                      stop after the first jobs are paid
`

/** An unknown flag is a user's mistake, not a bug: an `Error` with a sentence and the help. */
export function readFlags(words) {
  try {
    return read(words)
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`, { cause: error })
  }
}

/** The words that produce these flags: those that differ from the defaults. */
export function wordsOf({ chainId, ports, checkSeconds, folder, once }) {
  return [
    ...(chainId === CHAIN_IDS[0] ? [] : ['--chain-id', String(chainId)]),
    ...PORT_NAMES.flatMap(name =>
      ports[name] === DEFAULT_PORTS[name] ? [] : [`--${name}-port`, String(ports[name])],
    ),
    ...(checkSeconds === undefined ? [] : ['--check-seconds', String(checkSeconds)]),
    ...(folder === DEFAULT_FOLDER ? [] : ['--folder', shellWord(folder)]),
    ...(once ? ['--once'] : []),
  ]
}

/** The economy's folder. npm runs in the clone, wherever it was called. */
export function folderOf(root, folder) {
  return resolve(root, folder)
}

/** A word quoted for a shell. */
export function shellWord(word) {
  return /^[\w./@%+=,:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function read(words) {
  const { values } = parseArgs({
    args: [...words],
    options: {
      'chain-id': { type: 'string', default: String(CHAIN_IDS[0]) },
      'chain-port': { type: 'string', default: String(DEFAULT_PORTS.chain) },
      'facilitator-port': { type: 'string', default: String(DEFAULT_PORTS.facilitator) },
      'platform-port': { type: 'string', default: String(DEFAULT_PORTS.platform) },
      'agents-port': { type: 'string', default: String(DEFAULT_PORTS.agents) },
      'check-seconds': { type: 'string' },
      folder: { type: 'string', default: DEFAULT_FOLDER },
      once: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    chainId: wholeNumber('--chain-id', values['chain-id']),
    ports: {
      chain: wholeNumber('--chain-port', values['chain-port']),
      facilitator: wholeNumber('--facilitator-port', values['facilitator-port']),
      platform: wholeNumber('--platform-port', values['platform-port']),
      agents: wholeNumber('--agents-port', values['agents-port']),
    },
    checkSeconds: readCheckSeconds(values['check-seconds']),
    folder: values.folder,
    once: values.once,
    help: values.help,
  }
}

function readCheckSeconds(value) {
  if (value === undefined || /^[1-9]\d{0,5}$/.test(value))
    return value === undefined ? undefined : Number(value)
  throw new Error(`--check-seconds must be a whole number of at least 1, got ${JSON.stringify(value)}`)
}

function wholeNumber(flag, value) {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new Error(`${flag} must be a whole number, got ${JSON.stringify(value)}`)
}
