import type { AgentDashboard } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { formatHalfAndMost } from '../../owner/agents/format-half-and-most.ts'
import { longestDecimals } from '../../format/amount.ts'
import { formatCount, formatShare } from '../../format/share.ts'
import { Amount } from '../../parts/amount.tsx'
import { TableHead } from '../../parts/table.tsx'

/** How each capability of an agent does. */
export function CapabilityTable(props: {
  readonly capabilities: AgentDashboard['capabilities']
  readonly days: string
}): ReactNode {
  const { capabilities, days } = props
  if (capabilities.length === 0) return null
  const decimals = longestDecimals(capabilities.map(({ earned }) => earned))
  return (
    <section>
      <div className="heading close">
        <h2>Capabilities</h2>
        <span className="end">last {days} days</span>
      </div>
      <div className="scroll" tabIndex={0} role="region" aria-label="Capabilities">
        <table>
          <TableHead
            of={[
              'Capability',
              ['Jobs', 'num'],
              ['Failed', 'num'],
              ['No response', 'num'],
              ['Delivered', 'num'],
              ['p50 / p95', 'num'],
              ['Earned, USDC', 'num'],
            ]}
          />
          <tbody>
            {capabilities.map(({ capability, jobs, success, p50_ms: half, p95_ms: most, earned }) => (
              <tr key={capability}>
                <th scope="row" className="mono">
                  <bdi>{capability}</bdi>
                </th>
                <td className="num">{formatCount(jobs.completed)}</td>
                <td className="num">{formatCount(jobs.failed)}</td>
                <td className="num">{formatCount(jobs.expired)}</td>
                <td className="num">
                  {success === null ? <span className="faint">none yet</span> : formatShare(success, 1)}
                </td>
                <td className="num">{formatHalfAndMost(half, most)}</td>
                <td className="num">
                  <b>
                    <Amount of={earned} decimals={decimals} />
                  </b>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
