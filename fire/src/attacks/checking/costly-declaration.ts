import { serve, type Served } from '../../../../e2e/stage/serve.ts'

const CAPABILITIES = 5
const FIELDS_EACH = 960

/** Serves an `/about` of 4,800 fields with a pattern each, within the 256 KiB that a platform reads. */
export async function serveCostlyDeclaration(wallet: string): Promise<Served> {
  const about = JSON.stringify(costlyDeclaration(wallet))
  return await serve((request, response) => {
    const isHealth = request.url === '/health'
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(isHealth ? JSON.stringify({ name: 'Costly', version: '1.0', status: 'ok' }) : about)
  })
}

function costlyDeclaration(wallet: string): object {
  const capabilities = Array.from({ length: CAPABILITIES }, (_, index) => [
    `c${index}`,
    {
      description: '',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: Object.fromEntries(Array.from({ length: FIELDS_EACH }, costlyField)),
      output_schema: {},
    },
  ])
  return {
    service_version: '1.0',
    name: 'Costly',
    description: '',
    wallet,
    max_deadline_seconds: 20,
    capabilities: Object.fromEntries(capabilities),
  }
}

/** 1,000 instructions in 20 characters of a declaration. */
function costlyField(_: unknown, index: number): [string, object] {
  return [`f${index}`, { type: 'string', pattern: `[ab]{${999 - (index % 100)}}` }]
}
