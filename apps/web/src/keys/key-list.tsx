import { useState, type ReactNode } from 'react'
import { Sheet } from '../parts/sheet.tsx'
import { areLettersOn, PLACES, switchLetters } from './key-names.ts'

const KEYS: readonly (readonly [where: string, keys: readonly (readonly [keys: string, does: string])[]])[] =
  [
    [
      'Everywhere',
      [
        ['/', 'Search'],
        ['Ctrl K', 'Find agents and pages by name'],
        ...PLACES.map(({ key, words }) => [`g ${key}`, words] as const),
        ['?', 'Show this list'],
      ],
    ],
    [
      'In a list',
      [
        ['j', 'Next row'],
        ['k', 'Previous row'],
        ['Enter', 'Open the row'],
      ],
    ],
    [
      'In a job form',
      [
        ['Ctrl Enter', 'Pay and run'],
        ['Alt 1–9', 'Choose a capability'],
      ],
    ],
    [
      'On the flow canvas',
      [
        ['Tab', 'Go through the steps in run order, and their ports'],
        ['Enter', 'Open a step, or pick up or connect a wire at a port'],
        ['Arrows', 'Move a step (farther with Shift), or choose a matching port for a wire'],
        ['A', 'Add a step'],
        ['Del', 'Remove'],
        ['Ctrl Z', 'Undo, or redo with Shift'],
        ['Ctrl D', 'Duplicate'],
        ['F', 'Fit to screen'],
        ['O', 'Outline'],
        ['P', 'Before you pay'],
      ],
    ],
  ]

/** The list of keys and their actions, and the switch for single-letter keys. */
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
        Use single-letter shortcuts
      </label>
      <div className="acts">
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      </div>
    </Sheet>
  )
}
