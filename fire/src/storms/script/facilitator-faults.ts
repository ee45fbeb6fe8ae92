import { setTimeout as delay } from 'node:timers/promises'
import {
  BAD_GATEWAY,
  brokenOff,
  changed,
  dripping,
  faultsOf,
  HTML,
  reset,
  says,
  served,
  twice,
  type Fault,
} from './fault.ts'

const PENDING =
  '{"success":false,"errorReason":"settlement_pending","transaction":"","network":"eip155:84532"}'
const FAILED = '{"success":false,"errorReason":"unexpected_error","transaction":""}'

/** Between agent and facilitator: what is lost, late, broken or doubled on the way. */
export const facilitatorFaults: readonly Fault[] = [
  ...faultsOf({ at: 'facilitator', on: '/settle' }, [
    ['settled, then the connection is reset', served(reset)],
    [
      'settled, then two seconds of silence and a reset',
      served(async crossing => {
        await delay(2_000)
        crossing.reset()
      }),
    ],
    ['settled, then silence until the agent gives up', served(() => undefined), { isSlow: true }],
    ['settled, then 502 with a page of HTML', served(says(502, BAD_GATEWAY, HTML))],
    ['settled, then 504 without a body', served(says(504, ''))],
    ['settled, then 500 with JSON', served(says(500, '{"error":"boom"}'))],
    ['settled, then 500 that says success: false', served(says(500, FAILED))],
    ['settled, the answer broken off in its middle', brokenOff],
    ['settled, the answer dripping in byte by byte', dripping],
    ['settled, then 200 with half of the JSON', changed(text => text.slice(0, text.length / 2))],
    ['settled, then 200 with something that is no JSON', served(says(200, 'OK'))],
    ['settled, then 200 with nothing', served(says(200, ''))],
    ['settled, then 200 with an empty object', served(says(200, '{}'))],
    [
      'settled, then success as a word, not a boolean',
      changed(text => text.replace('"success":true', '"success":"true"')),
    ],
    [
      'settled, then success without a transaction',
      served(says(200, '{"success":true,"transaction":"","network":"eip155:84532"}')),
    ],
    ['settled, then 429', served(says(429, '{"error":"slow down"}'))],
    ['settled, then 401', served(says(401, '{"error":"who are you"}'))],
    ['settled, then a redirect', served(says(307, '', { location: 'http://127.0.0.1:9/' }))],
    ['settled, and pending said three times', served(says(200, PENDING)), { times: 3 }],
    ['settled, and the answer lost five times in a row', served(reset), { times: 5 }],
    ['reset before the facilitator receives it', reset],
    ['502 before the facilitator receives it', says(502, BAD_GATEWAY, HTML)],
    ['the request delivered twice at once', twice],
    [
      '502, and the request delivered a second later',
      async crossing => {
        crossing.answer(502, BAD_GATEWAY, HTML)
        await delay(1_000)
        await crossing.deliver()
      },
    ],
    [
      'an answer that comes after a second request was sent',
      async crossing => {
        const delivered = await crossing.deliver()
        await delay(1_500)
        crossing.answerWith(delivered)
      },
    ],
  ]),
  // Nothing is charged yet.
  ...faultsOf({ at: 'facilitator', on: '/verify', ends: 'either' }, [
    ['reset before the payment is verified', reset],
    ['verified, then reset', served(reset)],
    ['verified, then 502', served(says(502, BAD_GATEWAY, HTML))],
    ['verified, then something that is no JSON', served(says(200, 'valid'))],
    ['verified twice at once', twice],
    ['verify broken off in its middle', brokenOff],
  ]),
]
