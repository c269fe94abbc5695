/** A provider's JSON from `parseExactJson`, untrusted: a missing member, or one of another type, is undefined. */
export type Json = unknown

const step = (value: Json, key: string): Json => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

/** The value at `data.user.name`; a number is an index of a list. */
export const at = (json: Json, path: string): Json => path.split('.').reduce(step, json)

/** Text or number at a path, as text; undefined for empty text, and for a rounded number, which may be somebody else's. */
export const text = (json: Json, path: string): string | undefined => {
  const value = at(json, path)
  if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** True for `true`, `"true"` (Apple) and `1` (Zoom). */
export const flag = (json: Json, path: string): boolean => {
  const value = at(json, path)
  return value === true || value === 'true' || value === 1
}

/** The first of several paths with text. */
export const firstText = (json: Json, ...paths: readonly string[]): string | undefined => {
  for (const path of paths) {
    const value = text(json, path)
    if (value !== undefined) return value
  }
  return undefined
}

/** First and last name together, from fields such as `user.first_name`. */
export const fullName = (json: Json, first: string, last: string): string | undefined => {
  const name = [text(json, first), text(json, last)].filter((part) => part !== undefined).join(' ')
  return name === '' ? undefined : name
}
