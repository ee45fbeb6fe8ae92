/** One kind of handler, and how its job must be answered. */
export interface HandlerKind {
  readonly name: string
  /** Those that use up memory are ended by its bound or by their deadline, whichever comes first. */
  readonly statuses: readonly (200 | 408 | 500)[]
  /** How often it is drawn, against the others. */
  readonly weight: number
  /** Seconds that its job is given. */
  readonly deadlineSeconds: number
}

const GENEROUS_SECONDS = 40

/** What `agent/handlers.mjs` holds. Those that use up memory take seconds of a core each, so they are rare. */
export const HANDLER_KINDS: readonly HandlerKind[] = [
  { name: 'tame', statuses: [200], weight: 400, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'sleeper', statuses: [200], weight: 200, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'leaver', statuses: [200], weight: 20, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'threads', statuses: [200], weight: 5, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'shouter', statuses: [200], weight: 20, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'blocker', statuses: [408], weight: 30, deadlineSeconds: 1 },
  { name: 'waiter', statuses: [408], weight: 40, deadlineSeconds: 1 },
  { name: 'latecomer', statuses: [408], weight: 40, deadlineSeconds: 1 },
  { name: 'dawdler', statuses: [408], weight: 20, deadlineSeconds: 1 },
  { name: 'listener', statuses: [408], weight: 30, deadlineSeconds: 1 },
  { name: 'stray', statuses: [500], weight: 40, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'rejecter', statuses: [500], weight: 40, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'exit', statuses: [500], weight: 40, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'abort', statuses: [500], weight: 10, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'huge', statuses: [500], weight: 10, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'uncloneable', statuses: [500], weight: 20, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'proxy', statuses: [500], weight: 20, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'hoarder', statuses: [500, 408], weight: 2, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'collector', statuses: [500, 408], weight: 2, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'splitter', statuses: [500, 408], weight: 2, deadlineSeconds: GENEROUS_SECONDS },
  { name: 'buffers', statuses: [500, 408], weight: 2, deadlineSeconds: GENEROUS_SECONDS },
]
