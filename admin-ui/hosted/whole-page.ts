import { pickLocale } from '../../src/core/locale.ts'
import { createHostedApi } from '../shared/api.ts'
import { rememberLanguage } from '../shared/chosen-language.ts'
import { knowsPasskeys } from '../shared/passkey.ts'
import type { Typed } from './early.ts'
import { pageUrl } from './return-url.ts'
import { createPasskeySignIn } from './sign-in/passkey-sign-in.ts'
import { lastUsed, rememberUsed } from './social/last-used.ts'

/** Events that show that a person is using the page. On most machines, the first such event is a pointer that moves. */
const uses = ['pointermove', 'pointerdown', 'keydown', 'input', 'submit'] as const

/** Query parameters whose effect is drawn only by the script. The server's HTML ignores them. */
const onlyOfScript = ['email', 'error', 'sent']

/** The files with the code of a page that also works without its code. Undefined for a page that has to be drawn by its code. */
export const codeOfPage = (): readonly string[] | undefined => {
  const text = document.getElementById('code')?.textContent
  return text ? (JSON.parse(text) as string[]) : undefined
}

/**
 * Starts loading the page's code at the first event that shows that a person uses the page. If the page has more to show than the server
 * has written, loading starts immediately. Returns a function that starts it immediately.
 */
const whenUsed = (root: HTMLElement, code: readonly string[], start: () => void): (() => void) => {
  let isBegun = false
  const query = new URLSearchParams(location.search)
  const begin = (event?: Event) => {
    // Browsers also report a pointer movement when a page appears below a pointer that does not move.
    if (event instanceof PointerEvent && event.type === 'pointermove' && event.movementX === 0 && event.movementY === 0) return
    if (isBegun) return
    isBegun = true
    for (const type of uses) removeEventListener(type, begin, true)
    for (const href of code) {
      const link = Object.assign(document.createElement('link'), { rel: 'modulepreload', href })
      link.crossOrigin = ''
      document.head.append(link)
    }
    start()
  }
  const isTyped = [...root.querySelectorAll('input')].some(({ type, value, defaultValue, checked, defaultChecked }) =>
    type === 'checkbox' ? checked !== defaultChecked : value !== defaultValue,
  )
  if (isTyped || onlyOfScript.some((name) => query.has(name))) begin()
  else for (const type of uses) addEventListener(type, begin, true)
  return () => begin()
}

/** Adds the return URL and the language to links, and stores the chosen language. */
const helpLinks = (root: HTMLElement, query: URLSearchParams) => {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('.early a[href^="/"]'))
    link.href = pageUrl(link.getAttribute('href') ?? '', query)
  root.querySelector('select')?.addEventListener('change', ({ currentTarget }) => {
    const locale = currentTarget instanceof HTMLSelectElement ? pickLocale([currentTarget.value]) : undefined
    if (locale !== undefined) rememberLanguage(locale)
  })
}

/** Marks the identity provider that this browser used last, and moves it to the providers that are visible at first. */
const helpProviders = (root: HTMLElement) => {
  const form = root.querySelector<HTMLFormElement>('form[data-last]')
  form?.addEventListener('submit', ({ submitter }) => {
    if (submitter instanceof HTMLButtonElement) rememberUsed(submitter.value)
  })
  const buttons = [...(form?.querySelectorAll('button') ?? [])]
  const last = buttons.find(({ value }) => value === lastUsed())
  if (form === null || last === undefined || buttons.length < 2) return
  const shown = buttons.filter((button) => button.closest('details') === null)
  const place = shown.at(-1)
  if (!shown.includes(last) && place !== undefined) {
    last.replaceWith(place.cloneNode(true))
    place.replaceWith(last)
  }
  const mark = Object.assign(document.createElement('span'), { className: 'social-last' })
  mark.textContent = ` ${form.dataset['last']}`
  last.append(mark)
  last.removeAttribute('aria-label')
}

/** Offers passkeys in the address field until `shown` is aborted. */
const helpPasskeys = (root: HTMLElement, query: URLSearchParams, shown: AbortSignal, fail: (error: unknown) => Promise<void>) => {
  const way = root.querySelector('.other-way')
  const email = root.querySelector<HTMLInputElement>('.early input[name=email]')
  if (way === null) return
  if (!knowsPasskeys()) return way.remove()
  if (email === null) return
  email.setAttribute('autocomplete', 'username webauthn')
  const rememberMe = () => root.querySelector<HTMLInputElement>('[name=rememberMe]')?.checked !== false
  const { offer } = createPasskeySignIn(createHostedApi(), query, rememberMe)
  void offer(shown, fail)
}

/** The accessible name of a button. */
const nameOf = (button: Element) => button.getAttribute('aria-label') ?? button.textContent

/** Presses the button with this accessible name as soon as the page is drawn. */
const pressAgain = (root: HTMLElement, name: string) => {
  const press = () => [...root.querySelectorAll('button')].find((button) => nameOf(button) === name)?.click()
  const drawn = new MutationObserver(() => {
    if (root.querySelector('.early') !== null) return
    drawn.disconnect()
    setTimeout(press)
  })
  drawn.observe(root, { childList: true, subtree: true })
}

/**
 * Makes a page that the server has written fully usable before its code is loaded: links, language, last used provider, and passkeys in
 * the field. At the first event it calls `draw`. If the person has pressed a button before the page is drawn, that button is then pressed
 * again.
 */
export const helpPage = (
  root: HTMLElement,
  code: readonly string[],
  typed: Typed | undefined,
  draw: () => Promise<void>,
): void => {
  const query = new URLSearchParams(location.search)
  const shown = new AbortController()
  let pressed: string | null = null
  const take = () => {
    shown.abort()
    if (pressed !== null) pressAgain(root, pressed)
  }
  // If the code does not load, the page keeps working as the server has written it.
  const use = whenUsed(root, code, () => void draw().then(take, () => undefined))
  helpLinks(root, query)
  helpProviders(root)
  helpPasskeys(root, query, shown.signal, async (error) => {
    shown.abort()
    typed?.noteFailure(error)
    use()
  })
  const note = ({ target }: Event) => {
    const button = target instanceof Element ? target.closest('.early :is(button[type=button], summary)') : null
    if (button !== null) pressed = nameOf(button)
  }
  root.addEventListener('click', note, { signal: shown.signal })
}
