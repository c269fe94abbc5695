interface ChoiceProps<V extends string> {
  readonly label: string
  readonly value: V
  readonly options: readonly (readonly [value: V, text: string])[]
  readonly onChange: (value: V) => void
}

/** Buttons side by side, of which one is selected. */
export const Choice = <V extends string>({ label, value, options, onChange }: ChoiceProps<V>) => (
  <fieldset className="choice">
    <legend className="visually-hidden">{label}</legend>
    {options.map(([option, text]) => (
      <button
        key={option}
        type="button"
        className="choice-option"
        aria-pressed={option === value}
        onClick={() => onChange(option)}
      >
        {text}
      </button>
    ))}
  </fieldset>
)
