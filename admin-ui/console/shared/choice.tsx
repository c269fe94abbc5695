interface ChoiceProps<V extends string> {
  readonly label: string
  readonly values: readonly V[]
  readonly value: V
  readonly text: (value: V) => string
  readonly onValue: (value: V) => void
}

/** Buttons side by side, of which one is selected. */
export const Choice = <V extends string>({ label, values, value, text, onValue }: ChoiceProps<V>) => (
  <fieldset className="segments">
    <legend className="visually-hidden">{label}</legend>
    {values.map((one) => (
      <button key={one} type="button" className="segment" aria-pressed={one === value} onClick={() => onValue(one)}>
        {text(one)}
      </button>
    ))}
  </fieldset>
)
