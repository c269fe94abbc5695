import { useI18n } from '../../shared/text.tsx'

/** Makes the technical name of a reason readable: `wrong-password` becomes "Wrong password". */
const readable = (name: string): string => {
  const words = name.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Returns a function that gives the text of a reason for a failed sign-in. A newer server may send a reason that is unknown here; its
 * technical name is then made readable. The texts are in the catalogue `consoleReasons`.
 */
export const useReasonName = () => {
  const { told } = useI18n()
  return (reason: string): string => told(`reasons.${reason}`) ?? readable(reason)
}
