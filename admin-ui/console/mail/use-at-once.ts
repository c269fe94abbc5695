import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { Contract } from '../../../src/http/contract.ts'
import type { ChangeParts } from '../api.ts'
import { useProblem } from '../shared/failure.tsx'
import { useChange } from '../shared/use-change.ts'

/** Makes a harmless change as soon as the person presses the button, without a question. A notification shows the result or the error. */
export const useAtOnce = <C extends Contract, K extends keyof C & string>(contract: C, name: K, done: string) => {
  const change = useChange(contract, name, done)
  const problem = useProblem()
  const [isWorking, setIsWorking] = useState(false)
  const make = async (input: ChangeParts) => {
    setIsWorking(true)
    try {
      await change(input)
    } catch (error) {
      notifications.show({ message: problem(error), color: 'red', role: 'alert' })
    }
    setIsWorking(false)
  }
  return { isWorking, start: (input: ChangeParts) => void make(input) }
}
