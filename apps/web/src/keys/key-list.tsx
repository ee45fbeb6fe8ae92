import { useState, type ReactNode } from 'react'
import { Sheet } from '../parts/sheet.tsx'
import { areLettersOn, PLACES, switchLetters } from './key-names.ts'

const KEYS: readonly (readonly [where: string, keys: readonly (readonly [keys: string, does: string])[]])[] =
  [
    [
      'Everywhere',
      [
        ['/', 'Search'],
        ['Ctrl K', 'Commands: agents and places by name'],
        ...PLACES.map(({ key, words }) => [`g ${key}`, words] as const),
        ['?', 'This list'],
      ],
    ],
    [
      'In a list',
      [
        ['j', 'Next row'],
        ['k', 'Row before'],
        ['Enter', 'Open it'],
      ],
    ],
    [
      'In the form of a job',
      [
        ['Ctrl Enter', 'Pay and run'],
        ['Alt 1–9', 'Capability'],
      ],
    ],
    [
      'On the canvas of a flow',
      [
        ['Tab', 'Steps in the order of the run, and their ports'],
        ['Enter', 'On a step: open it; on a port: take a wire, join it'],
        ['Arrows', 'Move a step, with Shift farther; with a wire: ports that fit'],
        ['A', 'Add a step'],
        ['Del', 'Remove'],
        ['Ctrl Z', 'Undo; with Shift redo'],
        ['Ctrl D', 'Duplicate'],
        ['F', 'Fit all of it'],
        ['O', 'Outline'],
        ['P', 'Before you pay'],
      ],
    ],
  ]

/** What each key does, and the switch for single letters. */
export function KeyList({ close }: { readonly close: () => void }): ReactNode {
  const [isOn, setOn] = useState(areLettersOn)
  return (
    <Sheet labelledBy="key-list" close={close}>
      <h2 id="key-list">Keyboard shortcuts</h2>
      {KEYS.map(([where, keys]) => (
        <section key={where} className="key-list">
          <h3>{where}</h3>
          <dl>
            {keys.map(([name, does]) => (
              <div key={name}>
                <dt>
                  {name.split(' ').map((one, index) => (
                    // oxlint-disable-next-line react/no-array-index-key
                    <kbd key={index}>{one}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label className="check-row">
        <input
          type="checkbox"
          checked={isOn}
          onChange={event => {
            switchLetters(event.target.checked)
            setOn(event.target.checked)
          }}
        />
        Single letters act as keys
      </label>
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      </div>
    </Sheet>
  )
}
