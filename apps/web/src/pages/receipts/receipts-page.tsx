import type { Receipt } from '@farebox/platform-api/receipt'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { FileInput } from '../../parts/file-input.tsx'
import { Note } from '../../parts/note.tsx'
import { Address, CopiedHash, Transaction } from '../../parts/short.tsx'
import { Hole, Lines, Sum, Ticket, TicketTitle } from '../../parts/ticket.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { answers } from '../../site/answers.ts'
import type { PageModule } from '../../site/page.ts'
import { useAsk, useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { Bars } from '../../signs/bars.tsx'
import { Sign } from '../../signs/sign.tsx'
import type { CheckReceipt } from './check-receipt.ts'

type Verdict =
  | { readonly ok: true; readonly receipt: Receipt }
  | { readonly ok: false; readonly reason: string }

/** Checks a receipt in the browser, without sending it anywhere. */
export const page: PageModule<null> = {
  load: async () => null,
  head: () => ({
    title: 'Check a receipt',
    description:
      'Check a signed receipt for a paid job in your browser. The receipt never leaves your device.',
  }),
  Page: ReceiptsPage,
}

const MOST_CHARACTERS = 20_000

function ReceiptsPage(): ReactNode {
  const [text, setText] = useState('')
  useEffect(() => {
    // A link on a job's ticket passes the receipt in the fragment, which is not sent to the server.
    const given = location.hash.slice(1)
    if (given === '') return
    history.replaceState(history.state, '', location.pathname)
    setText(given)
  }, [])
  const verdict = useVerdict(text.trim())
  return (
    <main id="main" className="page">
      <h1>Check a receipt</h1>
      <p className="lede">
        A receipt is signed with this platform’s key. It states who paid whom, for which job, and in which
        transfer. Your browser checks the receipt, and it never leaves your device.
      </p>
      <noscript>
        <p className="lede">
          JavaScript is off. Turn it on to check a receipt here, or run{' '}
          <span className="mono">npx @farebox/cli verify-receipt receipt.jws</span>
        </p>
      </noscript>
      <div className="two beneath">
        <ReceiptInput text={text} setText={setText} />
        <div aria-live="polite">
          {verdict === undefined ? (
            <div className="void">
              <b>Nothing to check yet</b>
              <span>The receipt’s contents will appear here.</span>
            </div>
          ) : verdict.ok ? (
            <VerifiedReceipt receipt={verdict.receipt} />
          ) : (
            <Note tone="refused" alert>
              <p>
                <b>Not verified:</b> {verdict.reason}
              </p>
            </Note>
          )}
        </div>
      </div>
    </main>
  )
}

/** The verdict on a receipt; undefined when there is no receipt, or while it is being checked. */
function useVerdict(jws: string): Verdict | undefined {
  const { ask } = useSite()
  // It holds the platform's keys, so that they are not requested for each character.
  const check = useRef<CheckReceipt>(undefined)
  const { answer } = useRead<Verdict>(jws === '' ? undefined : jws, async () => {
    try {
      const { createReceiptCheck } = await import('./check-receipt.ts')
      const askKeys = async () => await ask('/.well-known/jwks.json', answers.keySet)
      check.current ??= createReceiptCheck(askKeys, location.origin)
      return await check.current(jws)
    } catch {
      return { ok: false, reason: 'the platform’s keys could not be loaded' }
    }
  })
  return answer
}

/** A control for a receipt as text, which can be typed, pasted, dropped, or read from a file. */
function ReceiptInput(props: { readonly text: string; readonly setText: (text: string) => void }): ReactNode {
  const { text, setText } = props
  const readFile = (file: File | undefined): void => {
    void file?.slice(0, MOST_CHARACTERS).text().then(setText)
  }
  return (
    <div
      onDragOver={event => event.preventDefault()}
      onDrop={event => {
        event.preventDefault()
        readFile(event.dataTransfer.files[0])
      }}
    >
      <label className="label" htmlFor="receipt">
        <b>Receipt</b>
      </label>
      <textarea
        id="receipt"
        className="input mono"
        rows={10}
        spellCheck={false}
        placeholder="Paste the receipt or drop the file here"
        value={text}
        onChange={event => setText(event.target.value.slice(0, MOST_CHARACTERS))}
      />
      <p className="above">
        <FileInput className="button low" label="Choose a receipt file" read={readFile}>
          Choose file
        </FileInput>
      </p>
    </div>
  )
}

function VerifiedReceipt({ receipt }: { readonly receipt: Receipt }): ReactNode {
  return (
    <Ticket
      label="Receipt contents"
      top={
        <>
          <TicketTitle end={<When at={receipt.iat} form="exact" />} hole={<Hole punched />}>
            <span className="stamp paid">
              <Sign name="check" /> Signed by this platform
            </span>
          </TicketTitle>
          <Sum amount={receipt.amount} />
        </>
      }
    >
      <ReceiptLines receipt={receipt} />
      <Bars hash={receipt.job} />
    </Ticket>
  )
}

function ReceiptLines({ receipt }: { readonly receipt: Receipt }): ReactNode {
  const { platform } = useSite()
  // The receipt contains the agent's number, but not its name.
  const name = useAsk(`/v1/agents/${receipt.agent_id}`, answers.agentPage).answer?.name
  return (
    <Lines
      of={[
        [
          'Agent',
          <>
            <a href={`/agents/${receipt.agent_id}`}>
              {name === undefined ? `No. ${receipt.agent_id}` : <Words of={name} most={64} />}
            </a>
            , <span className="mono">{receipt.capability}</span>
          </>,
        ],
        ['From', <Address key="from" of={receipt.payer} />],
        ['Paid to', <Address key="to" of={receipt.pay_to} />],
        [
          'Transfer',
          receipt.network === platform.network ? (
            <Transaction key="transfer" of={receipt.transaction} />
          ) : (
            <CopiedHash key="transfer" of={receipt.transaction} />
          ),
        ],
        ['Network', receipt.network],
        ['Completed', <When key="done" at={receipt.completed_at} form="exact" />],
        ['Receipt', <CopiedHash key="job" of={receipt.job} />],
        ['Input hash', <CopiedHash key="input" of={receipt.input} />],
        ['Output hash', <CopiedHash key="output" of={receipt.output} />],
      ]}
    />
  )
}
