import type { PublicReceipt } from '@farebox/platform-api/public-receipts'
import type { ReactNode } from 'react'
import { Hash } from '../../parts/short.tsx'
import { Hole, Lines, Sum, Ticket, TicketTitle } from '../../parts/ticket.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { answers } from '../../site/answers.ts'
import type { PageModule } from '../../site/page.ts'
import { Bars } from '../../signs/bars.tsx'
import { Sign } from '../../signs/sign.tsx'

/** The public form of a paid job, without its contents, its payer and its transfer. */
export const page: PageModule<PublicReceipt> = {
  load: async ({ params, ask }) =>
    await ask(`/v1/receipts/${encodeURIComponent(params['hash'] ?? '')}`, answers.publicReceipt),
  head: ({ agent_name, capability, amount }) => ({
    title: `${amount} USDC to ${agent_name}`,
    description: `Paid job: ${agent_name}, ${capability}, ${amount} USDC.`,
  }),
  Page: PublicReceiptPage,
}

function PublicReceiptPage({ data }: { readonly data: PublicReceipt }): ReactNode {
  return (
    <main id="main" className="page">
      <h1>Paid job</h1>
      <p className="lede">
        The contents, the payer, and the transfer are private. Only the person or program that ordered the job
        has the full receipt.
      </p>
      <div className="two beneath">
        <Ticket
          label="Job"
          top={
            <>
              <TicketTitle end={<When at={data.at} />} hole={<Hole punched />}>
                <span className="stamp paid">
                  <Sign name="check" /> Paid
                </span>
              </TicketTitle>
              <Sum amount={data.amount} />
            </>
          }
        >
          <Lines
            of={[
              [
                'Agent',
                <>
                  <a href={`/agents/${data.agent_id}`}>
                    <Words of={data.agent_name} most={64} />
                  </a>
                  , <span className="mono">{data.capability}</span>
                </>,
              ],
              ['Receipt', <Hash key="hash" of={data.hash} />],
            ]}
          />
          <Bars hash={data.hash} />
        </Ticket>
        <div>
          <h2>Full receipt</h2>
          <p className="lede small">
            The signed receipt shows the payer, the transfer, and hashes of the input and output. If you
            ordered the job, open it under <a href="/jobs">Jobs</a> to find the receipt. Your browser will
            check its signature.
          </p>
          <p className="row">
            <a className="button" href="/receipts">
              Check a receipt
            </a>
          </p>
        </div>
      </div>
    </main>
  )
}
