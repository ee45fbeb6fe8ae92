import type { Recipe } from '../generate/recipe.ts'
import { QUIET } from '../generate/recipe.ts'

/**
 * The smallest recipe found that still goes wrong: everything that can be taken out of it is, one thing after the
 * other, as long as `stillWrong` says so. Returns the recipe itself where it goes wrong no more, which means that
 * what came before it had a part.
 */
export async function shrinkRecipe(
  recipe: Recipe,
  stillWrong: (smaller: Recipe) => Promise<boolean>,
): Promise<Recipe> {
  let smallest = recipe
  for (let changed = true; changed;) {
    changed = false
    for (const smaller of smallerOnes(smallest)) {
      if (!(await stillWrong(smaller))) continue
      smallest = smaller
      changed = true
      break
    }
  }
  return smallest
}

/** Each of them with one thing less. */
function smallerOnes(recipe: Recipe): readonly Recipe[] {
  const { bodySpoils, payment } = recipe
  const smaller: Recipe[] = bodySpoils.map((_, at) => ({
    ...recipe,
    bodySpoils: bodySpoils.toSpliced(at, 1),
  }))
  if (recipe.inputSpoilt) smaller.push({ ...recipe, inputSpoilt: false })
  if (recipe.behaviour !== QUIET) smaller.push({ ...recipe, behaviour: QUIET })
  if (recipe.verifyFault !== undefined) smaller.push({ ...recipe, verifyFault: undefined })
  if (recipe.settleFault !== undefined) smaller.push({ ...recipe, settleFault: undefined })
  if (recipe.repeat !== undefined) smaller.push({ ...recipe, repeat: undefined })
  if (recipe.capability > 0) smaller.push({ ...recipe, capability: 0 })
  if (payment !== undefined) {
    smaller.push({ ...recipe, payment: undefined })
    for (const at of payment.spoils.keys())
      smaller.push({ ...recipe, payment: { ...payment, spoils: payment.spoils.toSpliced(at, 1) } })
    for (const flag of ['bound', 'alias', 'poor'] as const)
      if (payment[flag]) smaller.push({ ...recipe, payment: { ...payment, [flag]: false } })
  }
  return smaller
}
