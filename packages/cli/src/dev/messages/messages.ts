import { isObject } from '@farebox/protocol/internal/guards/json'

/** One event of a job, as the agent logs it; `dev --paid` builds its money trace from these events. */
export interface JobEvent {
  /** The event's name in the interface: `execute`, `payment verified`, `completed`. */
  readonly event: string
  readonly jobId: string
  readonly fields: { readonly [name: string]: string | number | boolean }
  /** Unix milliseconds. */
  readonly atMs: number
}

export interface LoadAgentCommand {
  readonly kind: 'load'
  /** Absolute. */
  readonly config: string
  /** Absolute; by default it is searched beside the config. */
  readonly handlers?: string
  /** The folder in which the command was called; messages show paths relative to it. */
  readonly folder: string
  /** The real environment; it takes precedence over `.env` beside the config. */
  readonly variables: { readonly [name: string]: string }
  readonly host: string
  /** Default: `PORT` of the environment, else 3000. */
  readonly port?: number
  /** Variables with the highest precedence, above `.env`: those of dev mode or of the paid path. */
  readonly forced: { readonly [name: string]: string }
  readonly reportsJobs: boolean
  readonly samplesAllowed: boolean
  /** Lines for the agent's description, below the capabilities. */
  readonly heading: readonly string[]
  /** The URL of the developer's page; omitted when there is none. */
  readonly page?: string
  readonly columns: number
  readonly live: boolean
}

export type DevCommand =
  /** Prepare for a load: import everything that any agent needs. */
  | { readonly kind: 'warm' }
  | LoadAgentCommand
  /** Stop: accept no more connections, answer the running jobs, end. */
  | { readonly kind: 'leave'; readonly hasSuccessor: boolean }
  /** A probe of whether the process responds. */
  | { readonly kind: 'ping' }

/** The files that a report is based on, so that a change of any of them can start the next load. */
export interface Sources {
  /** Absolute paths, including files that were looked for and do not exist. */
  readonly files: readonly string[]
  /** The file of the handlers; omitted when none was found. */
  readonly handlers?: string
}

export interface Description {
  readonly name: string
  readonly url: string
  readonly mode: string
  readonly wallet: string
  /** Their names. */
  readonly capabilities: readonly string[]
  readonly lines: readonly string[]
  /** A conspicuous message about generated samples; empty when every capability has its handler. */
  readonly samples: readonly string[]
  readonly sampled: readonly string[]
  readonly next: readonly string[]
  /** The URL of the developer's page; omitted when there is none. */
  readonly page?: string
}

export interface Serving {
  readonly kind: 'serving'
  readonly port: number
  /** The form of its log (D27). */
  readonly logFormat: 'text' | 'json'
  readonly isDebugged: boolean
  readonly description: Description
  /** The declaration that `/about` serves. It is validated where it is shown, not here. */
  readonly declaration: unknown
  readonly sources: Sources
}

export interface Failed {
  readonly kind: 'failed'
  /** The message for people, without a leading cross: what is wrong, and what to do. */
  readonly text: string
  readonly isPortTaken: boolean
  readonly sources: Sources
}

export type Report =
  /** The process receives commands now; messages sent earlier are lost. */
  | { readonly kind: 'up' }
  | { readonly kind: 'warm' }
  /** The handlers are about to be imported: if the process ends now, they are the cause. */
  | { readonly kind: 'reading'; readonly sources: Sources }
  /** The process listens; the previous process can be ended. */
  | Serving
  | Failed
  /** A file was imported after the load. */
  | { readonly kind: 'imported'; readonly files: readonly string[] }
  /** An uncaught error occurred; the process should be replaced. */
  | { readonly kind: 'broken'; readonly text: string }
  /** The process accepts no new connections from now on. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'job'; readonly event: JobEvent }
  | { readonly kind: 'typed'; readonly file: string }
  | { readonly kind: 'not typed'; readonly reason: string }
  | { readonly kind: 'pong' }

/**
 * Reads a message from an agent process. Handlers run there and can send anything; returns `undefined` for any other
 * message.
 */
export function readDevReport(message: unknown): Report | undefined {
  if (!isObject(message)) return undefined
  switch (message['kind']) {
    case 'up':
    case 'warm':
    case 'leaving':
    case 'pong':
      return { kind: message['kind'] }
    case 'serving':
      return isServing(message) ? message : undefined
    case 'failed':
      return isFailed(message) ? message : undefined
    case 'reading':
      return isSources(message['sources']) ? { kind: 'reading', sources: message['sources'] } : undefined
    case 'imported':
      return isTexts(message['files']) ? { kind: 'imported', files: message['files'] } : undefined
    case 'broken':
      return typeof message['text'] === 'string' ? { kind: 'broken', text: message['text'] } : undefined
    case 'job':
      return isJobEvent(message['event']) ? { kind: 'job', event: message['event'] } : undefined
    case 'typed':
      return typeof message['file'] === 'string' ? { kind: 'typed', file: message['file'] } : undefined
    case 'not typed':
      return typeof message['reason'] === 'string'
        ? { kind: 'not typed', reason: message['reason'] }
        : undefined
    default:
      return undefined
  }
}

/**
 * Reads a message from the watching process, which belongs to this package; only messages that are not commands are
 * rejected.
 */
export function readCommand(message: unknown): DevCommand | undefined {
  if (!isObject(message)) return undefined
  switch (message['kind']) {
    case 'warm':
    case 'ping':
      return { kind: message['kind'] }
    case 'leave':
      return { kind: 'leave', hasSuccessor: message['hasSuccessor'] === true }
    case 'load':
      // The message was sent by this package, over a channel that no other process has.
      return typeof message['config'] === 'string' ? (message as unknown as LoadAgentCommand) : undefined
    default:
      return undefined
  }
}

function isServing(message: { readonly [name: string]: unknown }): message is Serving & typeof message {
  return (
    typeof message['port'] === 'number' &&
    (message['logFormat'] === 'text' || message['logFormat'] === 'json') &&
    typeof message['isDebugged'] === 'boolean' &&
    isDescription(message['description']) &&
    isSources(message['sources'])
  )
}

function isFailed(message: { readonly [name: string]: unknown }): message is Failed & typeof message {
  return (
    typeof message['text'] === 'string' &&
    typeof message['isPortTaken'] === 'boolean' &&
    isSources(message['sources'])
  )
}

function isDescription(value: unknown): value is Description {
  return (
    isObject(value) &&
    ['name', 'url', 'mode', 'wallet'].every(key => typeof value[key] === 'string') &&
    isTexts(value['capabilities']) &&
    isTexts(value['lines']) &&
    isTexts(value['samples']) &&
    isTexts(value['sampled']) &&
    isTexts(value['next']) &&
    (value['page'] === undefined || typeof value['page'] === 'string')
  )
}

function isSources(value: unknown): value is Sources {
  return (
    isObject(value) &&
    isTexts(value['files']) &&
    (value['handlers'] === undefined || typeof value['handlers'] === 'string')
  )
}

function isJobEvent(value: unknown): value is JobEvent {
  return (
    isObject(value) &&
    typeof value['event'] === 'string' &&
    typeof value['jobId'] === 'string' &&
    typeof value['atMs'] === 'number' &&
    isObject(value['fields']) &&
    Object.values(value['fields']).every(field => ['string', 'number', 'boolean'].includes(typeof field))
  )
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}
