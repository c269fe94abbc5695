import { useI18n } from '../../shared/text.tsx'

/** Makes the name of a reason readable: `wrong-password` becomes "Wrong password". */
const readable = (name: string): string => {
  const words = name.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the name of a reason for a failed sign-in. A reason that only a newer server knows is made readable. Texts are in `consoleReasons`. */
export const useReasonName = () => {
  const { told } = useI18n()
  return (reason: string): string => told(`reasons.${reason}`) ?? readable(reason)
}
