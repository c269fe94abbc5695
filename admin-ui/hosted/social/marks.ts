/** A piece of a mark and the token of its colour. */
export type MarkPart = readonly [color: string, path: string]
/** A mark in the colour of the text, or in colours that its owner asks for. */
export type Mark = { readonly path: string } | { readonly parts: readonly MarkPart[] }

/**
 * Marks of the providers on a 24 by 24 grid, each a file of its own: a page loads those it shows. Most are those of Simple
 * Icons, which are in the public domain (CC0).
 */
const files: Readonly<Record<string, () => Promise<Mark>>> = {
  apple: () => import('./marks/apple.ts'),
  discord: () => import('./marks/discord.ts'),
  dropbox: () => import('./marks/dropbox.ts'),
  facebook: () => import('./marks/facebook.ts'),
  github: () => import('./marks/github.ts'),
  gitlab: () => import('./marks/gitlab.ts'),
  google: () => import('./marks/google.ts'),
  huggingface: () => import('./marks/huggingface.ts'),
  kick: () => import('./marks/kick.ts'),
  linkedin: () => import('./marks/linkedin.ts'),
  microsoft: () => import('./marks/microsoft.ts'),
  reddit: () => import('./marks/reddit.ts'),
  roblox: () => import('./marks/roblox.ts'),
  spotify: () => import('./marks/spotify.ts'),
  tiktok: () => import('./marks/tiktok.ts'),
  twitch: () => import('./marks/twitch.ts'),
  twitter: () => import('./marks/twitter.ts'),
  vk: () => import('./marks/vk.ts'),
  zoom: () => import('./marks/zoom.ts'),
}

/** The marks of these providers; of one that is not known, or did not arrive, there is none. */
export const loadMarks = async (ids: readonly string[]): Promise<Readonly<Record<string, Mark>>> => {
  const load = async (id: string): Promise<readonly [string, Mark] | undefined> => {
    const file = Object.hasOwn(files, id) ? files[id] : undefined
    return file?.().then(
      (mark) => [id, mark] as const,
      () => undefined,
    )
  }
  return Object.fromEntries((await Promise.all(ids.map(load))).filter((mark) => mark !== undefined))
}
