/** Stored for this tab only: the time of the last redirect to the provider, or until when none is allowed. */
const key = 'gatehouse.provider-redirect'
/** By default, a person has this long at the provider. */
const holdMs = 10 * 60_000

/** Prevents redirects for a while: after a sign-out, an error, or a deleted account. */
export const holdRedirect = () => {
  try {
    sessionStorage.setItem(key, String(Date.now()))
  } catch {
    // Without storage there is no redirect; see below.
  }
}

/** True at most once in a while, to prevent redirects in a circle; never without storage. */
export const takeRedirect = (): boolean => {
  try {
    if (Date.now() - Number(sessionStorage.getItem(key) ?? 0) < holdMs) return false
    holdRedirect()
    return sessionStorage.getItem(key) !== null
  } catch {
    return false
  }
}
