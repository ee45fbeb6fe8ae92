import type { RegistrationCheck } from '@farebox/platform-api/registration/registration-check'

type CheckName = RegistrationCheck['name']

/** The details of a failed check, in addition to its rule. */
export interface FailedCheck {
  /**
   * The observed result: one of the platform's sentences, checked values, or the user's input; never text of an agent
   * (SSRF-08).
   */
  readonly got: string
  /** The problem, as used in the sentence about it; defaults to `got`. */
  readonly said?: string
  /** The duration of the request behind the check, in milliseconds; null when there was none. */
  readonly ms: number | null
  readonly rule?: string
  readonly expected?: string
  readonly fix?: string
  /** Defaults to the severity of the rule, or else `required`. */
  readonly severity?: RegistrationCheck['severity']
}

/** Creates the result of a check that passed. */
export function passedCheck(name: CheckName, detail: string, ms: number | null = null): RegistrationCheck {
  const { severity = 'required' } = RULES[name]
  return { name, ok: true, severity, detail, ms, rule: null, expected: null, got: null, fix: null }
}

/** Creates the result of a check that failed, with the rule, the expected and the actual result, and the fix. */
export function failedCheck(name: CheckName, failed: FailedCheck): RegistrationCheck {
  const common = RULES[name]
  const { ms, rule = common.rule, expected = common.expected, fix = common.fix } = failed
  const got = cut(failed.got)
  const severity = failed.severity ?? common.severity ?? 'required'
  return {
    name,
    ok: false,
    severity,
    detail: cut(`${common.what}: ${failed.said ?? got}`),
    ms,
    rule,
    expected,
    got,
    fix,
  }
}

/** The maximum length of a text in a check, because the errors of a declaration can be long. */
const MAX_CHARACTERS = 1_000

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`
}

interface CheckRule {
  /** The subject of the sentence about the check. */
  readonly what: string
  readonly rule: string
  readonly expected: string
  readonly fix: string
  readonly severity?: RegistrationCheck['severity']
}

const ONE_DECLARATION =
  'Serve /about and /execute by the same program, from the same declaration, and restart it'

const RULES: { readonly [name in CheckName]: CheckRule } = {
  endpoint: {
    what: 'The URL',
    rule: 'An agent is reached at an https URL of a public address',
    expected: 'https://agent.example, without a query or a fragment',
    fix: 'Serve the agent at a public https URL and register that',
  },
  unclaimed: {
    what: 'The endpoint',
    rule: 'An endpoint has one agent',
    expected: 'an endpoint at which no agent is listed, and none was taken down',
    fix: 'Serve the agent at another URL, or give that agent another endpoint',
  },
  health: {
    what: 'GET /health',
    rule: 'GET /health answers 200 with name, version and status, within 10 s',
    expected: '200 {"name": "…", "version": "1.0", "status": "ok"}',
    fix: 'Start the agent, and open this address in a browser: the runtime serves it by itself',
  },
  about: {
    what: 'GET /about',
    rule: 'GET /about answers 200 with the declaration, its wallet included',
    expected: '200 and a declaration to every rule of agent.json',
    fix: 'Run npx farebox check with this URL: it names each rule that is broken',
  },
  health_name: {
    what: 'The name of /health',
    rule: 'Both routes say the name of the declaration: checks that find another one fail',
    expected: 'the name of /about',
    fix: 'Serve both routes by the same program, and restart it',
    severity: 'advice',
  },
  dev_mode_off: {
    what: 'POST /execute without a payment',
    rule: 'An agent does no work that is not paid for',
    expected: '402',
    fix: 'Serve it by farebox start, with SERVICE_DEV_MODE=false: farebox dev is always free',
  },
  payment_required: {
    what: 'POST /execute without a payment',
    rule: 'A job without a payment is answered 402, with how to pay',
    expected: '402 and a body with "accepts"',
    fix: 'Let POST /execute through to the agent: the runtime answers it by itself',
  },
  network: {
    what: 'The 402',
    rule: 'An agent takes payments on the network of the platform',
    expected: 'an entry of "accepts" for this network',
    fix: 'Set SERVICE_NETWORK to this network and restart the agent',
  },
  price: {
    what: 'The 402',
    rule: 'A capability costs what is declared',
    expected: 'the price of /about, in USDC, scheme "exact"',
    fix: ONE_DECLARATION,
  },
  wallet: {
    what: 'The 402',
    rule: 'Payments go to the wallet that is declared',
    expected: 'the wallet of /about',
    fix: ONE_DECLARATION,
  },
}
