import type { Refusal } from '../shared/form.tsx'

/** What somebody has typed into the form that the server wrote, before the script could take its place. */
export interface Typed {
  /** True when the form is on its way: the answer is the next page, and this one stays as it is. */
  isSent(): boolean
  /** The server's message about the form, until the page's own form shows it. */
  refusal(): Refusal | undefined
  /** Resolves when the page can be drawn without taking a field, a menu or a button from under the hands of the person; at once where the page is not whole. */
  isStill(): Promise<void>
  /** Notes why a passkey was refused that the person has chosen in the field. */
  noteFailure(error: unknown): void
  /** The refusal of a passkey that the page has not shown yet. */
  takeFailure(): { readonly error: unknown } | undefined
  /** Puts it into the form of the page, once, and sends that where the person has sent the other one. */
  into(form: HTMLFormElement): void
}

const inputsOf = (form: HTMLFormElement) =>
  [...form.elements].filter((element): element is HTMLInputElement => element instanceof HTMLInputElement && element.name !== '')

const readRefusal = (): Refusal | undefined => {
  const text = document.getElementById('refused')?.textContent
  return text ? (JSON.parse(text) as Refusal) : undefined
}

/** Events after which a person may have let go. */
const ends = ['pointerup', 'pointercancel', 'focusout', 'change', 'compositionend'] as const

/** Says when nobody holds anything: no button is pressed down, no menu is open, and no field is in use. */
const watchHands = (root: HTMLElement) => {
  let isDown = false
  let inUse: EventTarget | null = null
  /** Another language: what is drawn is the answer. */
  let isChosen = false
  const isHeld = () => {
    const { activeElement } = document
    if (isChosen) return false
    return isDown || activeElement instanceof HTMLSelectElement || (activeElement !== null && activeElement === inUse)
  }
  root.addEventListener('pointerdown', ({ target }) => {
    isDown = true
    inUse = target
  })
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => (isDown = false))
  root.addEventListener('change', ({ target }) => {
    isChosen ||= target instanceof HTMLSelectElement
  })
  for (const type of ['keydown', 'input', 'focusin'])
    root.addEventListener(type, ({ target }) => {
      // The first field gets the focus before anybody uses it.
      if (target instanceof HTMLInputElement && (type !== 'focusin' || inUse !== null)) inUse = target
    })
  return () =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (isHeld()) return
        for (const type of ends) removeEventListener(type, later)
        resolve()
      }
      // What the event does comes first: a click follows it.
      const later = () => void setTimeout(look)
      for (const type of ends) addEventListener(type, later)
      look()
    })
}

/** So long a form that was sent waits for the code of its page. */
const codeWaitMs = 1_000

/** Watches the form until the page has its own; its inputs keep their values after they have left the page. `isWhole`: the page works without the script. */
export const watchTyped = (root: HTMLElement, isWhole: boolean): Typed | undefined => {
  const early = root.querySelector('.early')
  let refused = readRefusal()
  if (early === null) return undefined
  /** Null where nobody has a password: what else can be sent is the buttons of providers. */
  const form = early.querySelector<HTMLFormElement>('.form')
  let inputs = form === null ? [] : inputsOf(form)
  let focused = document.activeElement
  let isSent = false
  /** Ends the wait for the hands; undefined while the code of the page is on its way. */
  let letGo: (() => void) | undefined
  let sendsAgain = false
  let failure: { readonly error: unknown } | undefined
  let patience: ReturnType<typeof setTimeout> | undefined
  /** The browser sends the form by itself, without what the code does besides. */
  const sendPlainly = () => {
    isSent = true
    form?.submit()
  }
  root.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.closest('.early') === null) return
    if (event.target !== form || !isWhole) {
      isSent = true
      return
    }
    event.preventDefault()
    sendsAgain = true
    if (letGo === undefined) patience ??= setTimeout(sendPlainly, codeWaitMs)
    else letGo()
  })
  form?.addEventListener('focusin', ({ target }) => {
    focused = target instanceof Element ? target : null
  })
  const untilFree = isWhole ? watchHands(root) : undefined
  return {
    isSent: () => isSent,
    refusal: () => refused,
    noteFailure: (error) => {
      failure = { error }
    },
    takeFailure: () => {
      const taken = failure
      failure = undefined
      return taken
    },
    isStill: () =>
      untilFree === undefined
        ? Promise.resolve()
        : new Promise((resolve) => {
            clearTimeout(patience)
            letGo = resolve
            if (sendsAgain) resolve()
            else void untilFree().then(resolve)
          }),
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
      refused = undefined
      if (sendsAgain) setTimeout(() => form.requestSubmit())
      sendsAgain = false
    },
  }
}
