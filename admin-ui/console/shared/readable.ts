/** `wrong-password` as people read it: technical names stay as they are. */
export const readable = (name: string): string => {
  const words = name.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
