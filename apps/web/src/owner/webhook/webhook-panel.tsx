import type { Webhook, WebhookMade, WebhookTested } from '@farebox/platform-api/monitor'
import { useState, type FormEvent, type ReactNode } from 'react'
import { Note, type Tone } from '../../parts/note.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { ApiFailure } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'
import { OnceSheet } from '../once-sheet.tsx'
import { LastDelivery } from './last-delivery.tsx'

interface Outcome {
  readonly tone: Tone
  readonly words: ReactNode
}

/** What a webhook is for, once above all of them. */
export function WebhookPurpose(): ReactNode {
  return (
    <p className="hint">
      A webhook notifies you when its agent fails three checks in a row, goes offline, or comes back online.
    </p>
  )
}

/** Where an owner hears of one agent: set, tried out, taken away, with how the newest notice went. */
export function WebhookPanel(props: {
  readonly agentId: number
  readonly webhook: Webhook | null
}): ReactNode {
  const { agentId } = props
  const { ask } = useSite()
  const path = `/v1/me/agents/${agentId}/webhook`
  const [webhook, setWebhook] = useState(props.webhook)
  const [isChanging, setChanging] = useState(false)
  const [url, setUrl] = useState(props.webhook?.url ?? '')
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const [made, setMade] = useState<WebhookMade>()
  const run = (work: () => Promise<void>): void => {
    setBusy(true)
    setOutcome(undefined)
    work()
      .catch((error: unknown) => setOutcome({ tone: 'refused', words: explain(error) }))
      .finally(() => setBusy(false))
  }
  const read = async (): Promise<void> => {
    setWebhook(await ask<Webhook>(path))
  }
  const save = (event: FormEvent): void => {
    event.preventDefault()
    run(async () => {
      setMade(await ask<WebhookMade>(path, { method: 'PUT', body: { url: url.trim() } }))
      setChanging(false)
      await read()
    })
  }
  const test = (): void =>
    run(async () => {
      const { delivered, failure } = await ask<WebhookTested>(`${path}/test`, { method: 'POST' })
      setOutcome(
        delivered
          ? { tone: 'paid', words: 'The receiver accepted the test notice.' }
          : {
              tone: 'refused',
              words: (
                <>
                  The receiver did not accept the test notice: <Words of={failure ?? 'unknown reason'} />
                </>
              ),
            },
      )
    })
  const remove = (): void =>
    run(async () => {
      await ask(path, { method: 'DELETE' })
      setWebhook(null)
      setOutcome({
        tone: 'info',
        words: 'Webhook removed. The platform will no longer send notices for this agent.',
      })
    })
  return (
    <div className="webhook">
      {webhook !== null && !isChanging && (
        <div className="small">
          <p className="mono address">{webhook.url}</p>
          <p className="quiet">
            Set <When at={webhook.created_at} />. <LastDelivery of={webhook.last_delivery} />
          </p>
          <p className="acts-line">
            <button type="button" className="link" disabled={isBusy} onClick={test}>
              Send a test
            </button>
            <button type="button" className="link" disabled={isBusy} onClick={() => setChanging(true)}>
              Change
            </button>
            <button type="button" className="link bad" disabled={isBusy} onClick={remove}>
              Remove
            </button>
          </p>
        </div>
      )}
      {webhook === null && !isChanging && (
        <p className="small acts-line first">
          <span className="quiet">No webhook set.</span>
          <button type="button" className="link" onClick={() => setChanging(true)}>
            Set a webhook
          </button>
        </p>
      )}
      {isChanging && (
        <form onSubmit={save}>
          <p className="field">
            <label className="label" htmlFor={`webhook-${agentId}`}>
              <b>Notice URL</b>
              <span className="end">an https URL; notices are sent via POST</span>
            </label>
            <input
              id={`webhook-${agentId}`}
              className="input mono"
              type="url"
              required
              maxLength={2048}
              placeholder="https://ops.example/farebox"
              value={url}
              onChange={event => setUrl(event.target.value)}
            />
          </p>
          <p className="hint">
            Saving creates a new secret. Your receiver can use it to verify that a notice is from this
            platform.
          </p>
          <p className="acts-line">
            <button type="submit" className="button" disabled={isBusy}>
              {isBusy ? 'Saving…' : 'Save'}
            </button>
            <button type="button" className="link" onClick={() => setChanging(false)}>
              Cancel
            </button>
          </p>
        </form>
      )}
      {outcome !== undefined && (
        <Note tone={outcome.tone} alert>
          <p>{outcome.words}</p>
        </Note>
      )}
      {made !== undefined && (
        <OnceSheet
          title="The webhook’s secret, shown only once"
          lines={made.secret}
          copy="Copy the secret"
          hint="Each notice has the header farebox-signature: t=<Unix seconds>,v1=<hex of HMAC-SHA256 under this secret over “<t>.<body>”>."
          kept={() => setMade(undefined)}
        >
          <p>
            Your receiver can use this secret to verify notices. You cannot see it again. To get a new secret,
            save the webhook again.
          </p>
        </OnceSheet>
      )}
    </div>
  )
}

function explain(error: unknown): string {
  if (!(error instanceof ApiFailure)) return 'The platform did not respond.'
  return error.retryAfter === undefined
    ? error.message
    : `${error.message}. Try again in ${error.retryAfter} s.`
}
