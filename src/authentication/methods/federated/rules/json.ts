/**
 * JSON that a provider sent, read with `parseExactJson`. It is not trusted: a member that is missing or has an unexpected type is read as
 * undefined.
 */
export type Json = unknown

const step = (value: Json, key: string): Json => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

/** Reads the value at a path such as `data.user.name`. A number in the path is an index of a list. */
export const at = (json: Json, path: string): Json => path.split('.').reduce(step, json)

/**
 * Reads text or a number at a path, as text. Undefined for empty text. Undefined also for a number that was rounded, because the rounded
 * number may be the id of another person.
 */
export const text = (json: Json, path: string): string | undefined => {
  const value = at(json, path)
  if (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads a boolean at a path. `true`, `"true"` (Apple) and `1` (Zoom) count as true. */
export const flag = (json: Json, path: string): boolean => {
  const value = at(json, path)
  return value === true || value === 'true' || value === 1
}

/** Reads the text at the first path that has text. */
export const firstText = (json: Json, ...paths: readonly string[]): string | undefined => {
  for (const path of paths) {
    const value = text(json, path)
    if (value !== undefined) return value
  }
  return undefined
}

/** Joins the first name and the last name. `first` and `last` are paths such as `user.first_name`. */
export const fullName = (json: Json, first: string, last: string): string | undefined => {
  const name = [text(json, first), text(json, last)].filter((part) => part !== undefined).join(' ')
  return name === '' ? undefined : name
}
