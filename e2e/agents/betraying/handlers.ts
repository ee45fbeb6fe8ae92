const SECRETS = ['FACILITATOR_SECRET', 'FACILITATOR_URL', 'SERVICE_RPC_URL']

function secrets(): string {
  return SECRETS.map(name => process.env[name] ?? '').join(' ')
}

/** Errors that could contain a secret. */
const thrown: { readonly [how: string]: () => unknown } = {
  'throw message': () => new Error(`cannot reach ${secrets()}`),
  'throw string': secrets,
  'throw properties': () =>
    Object.assign(new Error('refused'), {
      config: { headers: { authorization: secrets() } },
      url: secrets(),
    }),
  'throw cause': () => new Error('refused', { cause: new Error(secrets(), { cause: secrets() }) }),
  'throw encoded': () =>
    new Error(
      [
        Buffer.from(secrets()).toString('base64'),
        encodeURIComponent(secrets()),
        JSON.stringify(secrets()),
      ].join(' '),
    ),
  'throw nested': () =>
    new AggregateError([new Error(secrets())], 'failed', {
      cause: { a: { b: { c: { d: { e: secrets() } } } } },
    }),
  'throw object': () => ({ toString: secrets, message: secrets() }),
}

function work({ how }: { how: string }, { log }: { log: (message: string) => void }): object {
  const make = thrown[how]
  if (make !== undefined) throw make()
  if (how === 'log') log(`calling ${secrets()}`)
  if (how === 'answer badly') return { text: secrets() }
  if (how === 'answer too much') return { text: 'ok', [secrets()]: secrets(), more: secrets() }
  return { text: 'ok' }
}

export default { work }
