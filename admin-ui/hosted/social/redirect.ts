/** Key under which the tab stores the time of its last redirect to the provider, or the time from which redirects are held back. */
const key = 'gatehouse.provider-redirect'
/** Time without a further redirect, in milliseconds. By default, a person has this long to sign in at the provider. */
const holdMs = 10 * 60_000

/** Holds redirects back for a while: after a sign-out, an error, or the deletion of an account. */
export const holdRedirect = () => {
  try {
    sessionStorage.setItem(key, String(Date.now()))
  } catch {
    // Without storage, `takeRedirect` allows no redirect.
  }
}

/**
 * True if the page may redirect now. That is at most once in `holdMs`, so that pages do not redirect in a circle. Without storage it is
 * never true.
 */
export const takeRedirect = (): boolean => {
  try {
    if (Date.now() - Number(sessionStorage.getItem(key) ?? 0) < holdMs) return false
    holdRedirect()
    return sessionStorage.getItem(key) !== null
  } catch {
    return false
  }
}
