/** Makes a hosted page show the state in the parameter `_state`. For development only. */
import { stateOf } from './all.ts'
import { answer } from './answer.ts'
import { brandNames, brandStyles, isBrandName } from './brands.ts'
import { perform } from './perform.ts'
import { showTheme } from './theme.ts'

const query = new URLSearchParams(location.search)
const state = stateOf(query.get('_state') ?? '')
if (state === undefined) throw new Error(`there is no state ${query.get('_state')}`)

const chosen = query.get('_brand')
const brand = isBrandName(chosen) ? chosen : (brandNames[0] ?? 'none')
window.fetch = answer(state, brand)

const style = document.createElement('style')
style.textContent = brandStyles(brand)
document.head.append(style)
showTheme(query.get('_theme'))

// The language comes from the address, not from a choice in this browser.
Object.defineProperty(document, 'cookie', { get: () => '', set: () => undefined })

// Replaces passkeys, so that the browser asks for no authenticator.
Object.defineProperty(navigator, 'credentials', {
  value: { get: () => new Promise(() => {}), create: () => new Promise(() => {}) },
})

const show = async () => {
  await import('../hosted/main.ts')
  await perform(state)
}

show().then(
  () => {
    document.documentElement.dataset['state'] = 'shown'
  },
  (error: unknown) => {
    document.documentElement.dataset['state'] = 'failed'
    throw error
  },
)
