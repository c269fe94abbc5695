/** What somebody has typed into the form that the server wrote, before the script could take its place. */
export interface Typed {
  /** Puts it into the form of the page, once, and sends that where the Enter key was pressed meanwhile. */
  into(form: HTMLFormElement): void
}

const inputsOf = (form: HTMLFormElement) =>
  [...form.elements].filter((element): element is HTMLInputElement => element instanceof HTMLInputElement && element.name !== '')

/** Types of inputs that are pressed, not typed into. */
const pressed = ['checkbox', 'button', 'submit', 'reset']

/** Watches the form until the page has its own; its inputs keep their values after they have left the page. */
export const watchTyped = (root: HTMLElement): Typed | undefined => {
  const early = root.querySelector<HTMLFormElement>('.early form')
  if (early === null) return undefined
  let inputs = inputsOf(early)
  let focused = document.activeElement
  let isSent = false
  early.addEventListener('keydown', ({ key, target, isComposing }) => {
    // The Enter of an input method takes a word, that of a button or a checkbox is its own.
    if (key === 'Enter' && !isComposing && target instanceof HTMLInputElement && !pressed.includes(target.type)) isSent = true
  })
  // Whoever goes on typing has not finished.
  early.addEventListener('input', () => {
    isSent = false
  })
  early.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : null
  })
  return {
    into: (form) => {
      const own = new Map(inputsOf(form).map((input) => [input.name, input]))
      const isTyped = inputs.some(({ type, value }) => type !== 'checkbox' && value !== '')
      for (const { name, type, value, checked } of inputs) {
        const input = own.get(name)
        if (input === undefined) continue
        if (type === 'checkbox') input.checked = checked
        else if (value !== '') input.value = value
        // Where nothing is typed, the page knows better which field is next.
        if (isTyped && focused instanceof HTMLInputElement && focused.name === name) input.focus()
      }
      inputs = []
      // After the page has been drawn: only then it takes what is sent.
      if (isTyped && isSent) setTimeout(() => form.requestSubmit())
    },
  }
}
