import type { ReactNode } from 'react'
import { Heading } from '../parts/page/heading.tsx'
import { useSite } from '../site/site.ts'

/** The three steps to an agent that is paid on this platform, with the commands. */
export function NewAgentSteps(): ReactNode {
  const { platform } = useSite()
  const { local_mode: isLocal, public_url: url } = platform
  const endpoint = isLocal ? 'http://localhost:3000' : 'https://agent.example'
  return (
    <>
      <Heading look="ruled">Create an agent</Heading>
      <ol className="plain-list numbered">
        <li>
          <b>Write it</b>
          <span className="quiet">
            {isLocal ? 'Run this in your clone of Farebox. ' : ''}This creates a project with an example that
            you can edit. <span className="mono">npx farebox dev</span> runs it without payments.
          </span>
          <pre className="code" tabIndex={0}>
            {isLocal
              ? 'npx @farebox/cli init ../my-agent --yes\ncd ../my-agent\nnpm install\n'
              : 'npx @farebox/cli init my-agent\ncd my-agent\nnpm install\n'}
          </pre>
        </li>
        <li>
          <b>Start it with a secret</b>
          <span className="quiet">
            {platform.secrets ? (
              <>
                <a href="/owner/secrets">Create a secret</a> for the wallet that receives the payments, and
                paste its lines into the project’s <span className="mono">.env</span> file.
              </>
            ) : (
              <>
                Copy <span className="mono">.env.example</span> to <span className="mono">.env</span> and fill
                in your wallet and your facilitator’s secret.
              </>
            )}
          </span>
          <pre className="code" tabIndex={0}>
            {'npx farebox start\n'}
          </pre>
        </li>
        <li>
          <b>Register it</b>
          <span className="quiet">
            While the agent is running, run this in another terminal, or enter the agent’s address under{' '}
            <a href="/register">Register an agent</a>.
          </span>
          <pre className="code" tabIndex={0}>
            {`npx farebox register --endpoint ${endpoint} \\\n  --platform ${url}\n`}
          </pre>
        </li>
      </ol>
    </>
  )
}
