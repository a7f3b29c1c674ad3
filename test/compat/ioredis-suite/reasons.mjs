export const reasonFor = () => "unexplained";
