import { isObject } from '@farebox/protocol/internal/guards/json'

/** One event of a job, as the agent logs it: what `dev --paid` makes its money trace of. */
export interface JobEvent {
  /** In the interface's words: `execute`, `payment verified`, `completed`. */
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
  /** Absolute; absent: to be found beside the config. */
  readonly handlers?: string
  /** Where the command was called: messages name files from there. */
  readonly folder: string
  /** The real environment; what `.env` beside the config says comes below it. */
  readonly variables: { readonly [name: string]: string }
  readonly host: string
  /** Absent: the environment's `PORT`, else 3000. */
  readonly port?: number
  /** Variables that nothing overrides, `.env` included: dev mode's, or those of the paid path. */
  readonly forced: { readonly [name: string]: string }
  readonly reportsJobs: boolean
  readonly samplesAllowed: boolean
  /** Lines for its description, below the capabilities. */
  readonly heading: readonly string[]
  /** Where the developer's page is; absent: there is none. */
  readonly page?: string
  readonly columns: number
  readonly live: boolean
}

export type DevCommand =
  /** Be ready for a load: everything imported that any agent needs. */
  | { readonly kind: 'warm' }
  | LoadAgentCommand
  /** Stop: take nothing new, answer the jobs in flight, end. */
  | { readonly kind: 'leave'; readonly hasSuccessor: boolean }
  /** Are you there? */
  | { readonly kind: 'ping' }

/** What was read to come to a report, so that a change of any of it can lead to the next load. */
export interface Sources {
  /** Absolute paths, also of files that were looked for and are not there. */
  readonly files: readonly string[]
  /** Where the handlers came from; absent where none were found. */
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
  /** What is made up, in loud words; empty where every capability has its handler. */
  readonly samples: readonly string[]
  readonly sampled: readonly string[]
  readonly next: readonly string[]
  /** Where the developer's page is; absent: there is none. */
  readonly page?: string
}

export interface Serving {
  readonly kind: 'serving'
  readonly port: number
  /** The form of its log (D27). */
  readonly logFormat: 'text' | 'json'
  readonly isDebugged: boolean
  readonly description: Description
  /** As `/about` serves it. Not checked here, but where it is shown. */
  readonly declaration: unknown
  readonly sources: Sources
}

export interface Failed {
  readonly kind: 'failed'
  /** As people read it, without a cross before it: what is wrong, then what to do. */
  readonly text: string
  readonly isPortTaken: boolean
  readonly sources: Sources
}

export type Report =
  /** It listens to orders; what was sent before is lost. */
  | { readonly kind: 'up' }
  | { readonly kind: 'warm' }
  /** Its handlers are about to be imported: if it ends now, these were to blame. */
  | { readonly kind: 'reading'; readonly sources: Sources }
  /** It listens; the process that served before can go. */
  | Serving
  | Failed
  /** Something was imported after the load. */
  | { readonly kind: 'imported'; readonly files: readonly string[] }
  /** An error that nobody caught: it should be replaced. */
  | { readonly kind: 'broken'; readonly text: string }
  /** It takes no new connections from now on. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'job'; readonly event: JobEvent }
  | { readonly kind: 'typed'; readonly file: string }
  | { readonly kind: 'not typed'; readonly reason: string }
  | { readonly kind: 'pong' }

/** Reads what came from an agent process. Handlers run there and can send what they like: all else is undefined. */
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

/** Reads what came from the watcher, which is this package itself: only what is no order at all is sorted out. */
export function readCommand(message: unknown): DevCommand | undefined {
  if (!isObject(message)) return undefined
  switch (message['kind']) {
    case 'warm':
    case 'ping':
      return { kind: message['kind'] }
    case 'leave':
      return { kind: 'leave', hasSuccessor: message['hasSuccessor'] === true }
    case 'load':
      // Sent by ourselves, over a channel that nobody else has.
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
