/** Kept for this tab alone: when it was last led to the provider, or may not be led there. */
const key = 'gatehouse.provider-redirect'
/** A person has this time at the provider, by default. */
const holdMs = 10 * 60_000

/** For a while the sign-in page waits for a press: after a sign-out, an error, a deleted account. */
export const holdRedirect = () => {
  try {
    sessionStorage.setItem(key, String(Date.now()))
  } catch {
    // Then nobody is led anywhere: see below.
  }
}

/** True at most once in a while, so that no one is led in a circle; never where that cannot be remembered. */
export const takeRedirect = (): boolean => {
  try {
    if (Date.now() - Number(sessionStorage.getItem(key) ?? 0) < holdMs) return false
    holdRedirect()
    return sessionStorage.getItem(key) !== null
  } catch {
    return false
  }
}
