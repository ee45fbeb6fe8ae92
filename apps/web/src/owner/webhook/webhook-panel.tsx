import type { Webhook, WebhookMade, WebhookTested } from '@farebox/platform-api/monitor'
import { useState, type ReactNode } from 'react'
import { Note, type Tone } from '../../parts/note.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure, explainFailure } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'
import { OnceSheet } from '../once-sheet.tsx'
import { LastDelivery } from './last-delivery.tsx'

interface Outcome {
  readonly tone: Tone
  readonly words: ReactNode
}

/** The purpose of webhooks, shown once above all of them. */
export function WebhookPurpose(): ReactNode {
  return (
    <p className="hint">
      A webhook notifies you when its agent fails three checks in a row, goes offline, or comes back online.
    </p>
  )
}

/** The webhook of one agent, with actions to set, test and remove it, and with its newest delivery. */
export function WebhookPanel(props: {
  readonly agentId: number
  readonly webhook: Webhook | null
}): ReactNode {
  const { agentId } = props
  const requests = useWebhook(agentId, props.webhook)
  const { webhook, isBusy, outcome, made } = requests
  const [isChanging, setChanging] = useState(false)
  const [url, setUrl] = useState(props.webhook?.url ?? '')
  return (
    <div className="webhook">
      {webhook !== null && !isChanging && (
        <SetWebhook
          webhook={webhook}
          isBusy={isBusy}
          test={requests.test}
          change={() => setChanging(true)}
          remove={requests.remove}
        />
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
        <WebhookForm
          id={`webhook-${agentId}`}
          url={url}
          setUrl={setUrl}
          isBusy={isBusy}
          save={() => requests.save(url.trim(), () => setChanging(false))}
          cancel={() => setChanging(false)}
        />
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
          kept={requests.forgetSecret}
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

function SetWebhook(props: {
  readonly webhook: Webhook
  readonly isBusy: boolean
  readonly test: () => void
  readonly change: () => void
  readonly remove: () => void
}): ReactNode {
  const { webhook, isBusy, test, change, remove } = props
  return (
    <div className="small">
      <p className="mono address">{webhook.url}</p>
      <p className="quiet">
        Set <When at={webhook.created_at} />. <LastDelivery of={webhook.last_delivery} />
      </p>
      <p className="acts-line">
        <button type="button" className="link" disabled={isBusy} onClick={test}>
          Send a test
        </button>
        <button type="button" className="link" disabled={isBusy} onClick={change}>
          Change
        </button>
        <button type="button" className="link bad" disabled={isBusy} onClick={remove}>
          Remove
        </button>
      </p>
    </div>
  )
}

function WebhookForm(props: {
  readonly id: string
  readonly url: string
  readonly setUrl: (url: string) => void
  readonly isBusy: boolean
  readonly save: () => void
  readonly cancel: () => void
}): ReactNode {
  const { id, url, setUrl, isBusy, save, cancel } = props
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        save()
      }}
    >
      <p className="field">
        <label className="label" htmlFor={id}>
          <b>Notice URL</b>
          <span className="end">an https URL; notices are sent via POST</span>
        </label>
        <input
          id={id}
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
        Saving creates a new secret. Your receiver can use it to verify that a notice is from this platform.
      </p>
      <p className="acts-line">
        <button type="submit" className="button" disabled={isBusy}>
          {isBusy ? 'Saving…' : 'Save'}
        </button>
        <button type="button" className="link" onClick={cancel}>
          Cancel
        </button>
      </p>
    </form>
  )
}

interface WebhookRequests {
  readonly webhook: Webhook | null
  readonly isBusy: boolean
  readonly outcome: Outcome | undefined
  /** A newly set webhook, whose secret must be shown. */
  readonly made: WebhookMade | undefined
  readonly save: (url: string, saved: () => void) => void
  readonly test: () => void
  readonly remove: () => void
  readonly forgetSecret: () => void
}

/** The requests to the platform about an agent's webhook, and the outcome of the last one. */
function useWebhook(agentId: number, first: Webhook | null): WebhookRequests {
  const { ask } = useSite()
  const path = `/v1/me/agents/${agentId}/webhook`
  const [webhook, setWebhook] = useState(first)
  const [outcome, setOutcome] = useState<Outcome>()
  const [made, setMade] = useState<WebhookMade>()
  const requests = useAction(async (_left, work: () => Promise<Outcome | undefined>) => {
    setOutcome(undefined)
    setOutcome(await work())
  }, explain)
  const save = (url: string, saved: () => void): void =>
    requests.act(async () => {
      setMade(await ask(path, answers.webhookMade, { method: 'PUT', body: { url } }))
      saved()
      setWebhook(await ask(path, answers.webhook))
      return undefined
    })
  const test = (): void =>
    requests.act(async () =>
      describeTest(await ask(`${path}/test`, answers.webhookTested, { method: 'POST' })),
    )
  const remove = (): void =>
    requests.act(async () => {
      await ask(path, answers.none, { method: 'DELETE' })
      setWebhook(null)
      const words = 'Webhook removed. The platform will no longer send notices for this agent.'
      return { tone: 'info', words }
    })
  const forgetSecret = (): void => setMade(undefined)
  const refused: Outcome | undefined =
    requests.state === 'failed' ? { tone: 'refused', words: requests.sentence } : undefined
  const isBusy = requests.state === 'busy'
  return { webhook, isBusy, outcome: refused ?? outcome, made, save, test, remove, forgetSecret }
}

function describeTest({ delivered, failure }: WebhookTested): Outcome {
  return delivered
    ? { tone: 'paid', words: 'The receiver accepted the test notice.' }
    : {
        tone: 'refused',
        words: (
          <>
            The receiver did not accept the test notice: <Words of={failure ?? 'unknown reason'} />
          </>
        ),
      }
}

function explain(error: unknown): string {
  const sentence = explainFailure(error)
  const wait = error instanceof ApiFailure ? error.retryAfter : undefined
  return wait === undefined ? sentence : `${sentence}. Try again in ${wait} s.`
}
