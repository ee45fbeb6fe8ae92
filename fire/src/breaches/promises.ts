/** What Farebox promises, and what must hold of its money: the words that the table of breaches is made of. */
export const PROMISES = {
  P1: 'One signed payment buys at most one job, however many replicas, retries or attackers.',
  P2: 'Before money can move, the response is saved; ask again with the same job_id and you get it.',
  P3: 'A 400, 402, 408 or 500 means: not charged, and never will be for that attempt. While money may still move the answer is 503 pending.',
  P4: 'An agent never works for free by mistake.',
  P5: "Nothing an agent's owner writes or serves runs code in a browser or reaches the inside network.",
  P6: 'Whatever bytes arrive, the answer is one of the documented ones.',
  I1: 'One authorization pays for at most one job.',
  I2: 'One job_id moves money at most once while its response is kept.',
  I3: 'Output leaves the agent only after its transfer is proven in a block.',
  I4: 'If money moved for a job, its exact response can be had for ten minutes.',
  I5: '400, 402, 408 and 500 mean that no money moved and none can.',
  I6: 'A handler runs once for a job_id, unless the process that ran it died.',
  I7: "The facilitator's ledger is the chain, row by row.",
  I8: 'Nothing unauthenticated can create, block, read or evict a job.',
  F1: 'A job of a run has at most one payment that may be charged; a second one takes proof that the first cannot be, or was.',
  F2: 'A run never comes to more than its limit, and nothing is sent for another price or payee than was signed.',
  F3: 'A step of a run begins when all that it takes has come, and not at all where that does not come.',
  F4: 'A signature is kept exactly as long as it may be sent.',
} as const

export type PromiseName = keyof typeof PROMISES

// As they are written above, which is the order of the table.
export const PROMISE_NAMES = Object.keys(PROMISES) as PromiseName[]
