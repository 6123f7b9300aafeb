#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The viewer's page on made-up runs inside the page, opened from disk: what is on the screen, playing,
picking, colours, charts, keys, two runs, broken data. (label: slow: it is about the page, not the C code.)"""
import sys

sys.dont_write_bytecode = True  # leave the source tree as it is

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from browser import Browser, check, difference, main, make_page


def project(browser, vertex, run=0, object_=0):
    p = browser.run("return heddle.project(arguments[0], arguments[1], arguments[2])", run, object_, vertex)
    return p["x"], p["y"]


def is_reddish(p):
    return p[0] > p[1] + 30 and p[0] > p[2] + 30


def is_bluish(p):
    return p[2] > p[0] + 30


def in_the_picture(browser, fractions=(0.5, 0.5)):
    """Moves the mouse to a place of the canvas, given as fractions of its size."""
    canvas = browser.driver.find_element(By.ID, "canvas")
    size = canvas.size
    dx = round((fractions[0] - 0.5) * size["width"])
    dy = round((fractions[1] - 0.5) * size["height"])
    return ActionChains(browser.driver, duration=20).move_to_element_with_offset(canvas, dx, dy)


def test_yarns_are_on_the_screen():
    with Browser(make_page("knit")) as b:
        state = b.ready()
        check(state["segments"] == [24 * 24 * 24], state["segments"])
        check(state["frames"] == 40 and state["titles"] == ["knit"], state)
        picture = b.canvas("yarns")
        back = picture.pixel(4, picture.height // 2)
        hits = 0
        for vertex in range(5, 13000, 499):
            x, y = project(b, vertex)
            colour = picture.pixel(x, y)
            hits += max(abs(c - d) for c, d in zip(colour, back)) > 30
        # A vertex may lie in the shade of a neighbour; most do not.
        check(hits >= 22, f"{hits} of 27 vertices are drawn")
        # The lowest four rows are red (0xc8553d).
        near = [picture.pixel(*project(b, k)) for k in range(0, 577, 24)]
        check(sum(is_reddish(p) for p in near) >= 15, f"colours of the first row: {near}")
        b.page("page")


def test_tubes_are_round():
    """Across a tube, light rises and falls: a flat band would not."""
    with Browser(make_page("crossing")) as b:
        b.ready()
        picture = b.canvas("tube")
        x, y = project(b, 21 + 15)
        row = [picture.pixel(x + d, y)[2] for d in range(-16, 17)]
        inside = [v for v in row if v > 70]
        check(len(inside) >= 12, f"blue across the yarn: {row}")
        top = row.index(max(row))
        check(min(row[3:top]) < 0.75 * max(row) and min(row[top:-3]) < 0.75 * max(row), f"not round: {row}")


def test_play_changes_the_picture():
    with Browser(make_page("crossing")) as b:
        b.ready()
        before = b.canvas("before-play")
        b.click("#play")
        state = b.wait(lambda s: s["shown"][0] >= 5, "frame 5")
        check(state["playing"], "it plays")
        b.click("#play")
        state = b.wait(lambda s: not s["playing"] and s["settled"], "pause")
        after = b.canvas("after-play")
        # The red yarn moves up by more than its diameter: it covers about 1 % of the picture.
        check(difference(before, after) > 0.004, f"difference {difference(before, after)}")
        b.seek(0)
        check(difference(before, b.canvas()) < 0.001, "frame 0 looks as it did")


def test_loop_and_end():
    with Browser(make_page("crossing")) as b:
        b.ready()
        b.run("const s = document.getElementById('speed'); s.value = '4'; s.dispatchEvent(new Event('change'))")
        b.click("#loop")
        b.run("heddle.play()")
        state = b.wait(lambda s: not s["playing"], "the end")
        check(state["frame"] == 11, f"it stops at the end, not at {state['frame']}")


def test_picking_returns_the_right_yarn():
    with Browser(make_page("crossing")) as b:
        b.ready()
        # Vertex 10 of yarn 0 (behind) and of yarn 1 (in front) are both at x = y = 0; the others stand free.
        for yarn, vertex in ((0, 3), (0, 17), (1, 21 + 4), (1, 21 + 10), (2, 42 + 3), (2, 42 + 12)):
            b.run("heddle.pickAt(arguments[0], arguments[1])", *project(b, vertex))
            picked = b.state()["picked"]
            check(picked and picked["yarn"] == yarn, f"vertex {vertex}: {picked}")
            check(vertex in picked["vertices"], f"vertex {vertex}: {picked}")
        x, y = project(b, 21 + 4)
        box = b.driver.find_element(By.ID, "canvas").size
        in_the_picture(b, (x / box["width"], y / box["height"])).click().perform()
        picked = b.wait(lambda s: s["picked"] and s["picked"]["yarn"] == 1, "a click")["picked"]
        check(abs(picked["radius"] - 0.003) < 1e-6 and abs(picked["length"] - 0.1) < 1e-5, picked)
        # On the surface: one radius from the axis x = 0, z = 5 mm. A ray is met on straight pieces of the curve.
        distance = (picked["position"][0] ** 2 + (picked["position"][2] - 0.005) ** 2) ** 0.5
        check(abs(distance - 0.003) < 2e-4, f"{distance} m from the axis: {picked}")
        text = b.driver.find_element(By.ID, "picked").text
        check("3 mm" in text and "100 mm" in text, text)
        b.page("picked")
        b.key("Escape")
        check(b.state()["picked"] is None, "nothing is picked any more")


def test_picking_a_triangle():
    with Browser(make_page("drape")) as b:
        b.ready()
        b.run("heddle.pickAt(arguments[0], arguments[1])", *project(b, 20 * 41 + 20))
        picked = b.state()["picked"]
        check(picked["object"] == "cloth" and 20 * 41 + 20 in picked["vertices"], picked)
        # A flat grid of 40 cells on a square of 1 m, two triangles a cell.
        check(abs(picked["area"] - 0.5 / 1600) < 1e-6, picked)
        b.click("#objects label:nth-of-type(1) input")
        # On the ball's equator, towards the camera, which stands 35 degrees from z to x: j = 55 / 180 of 24.
        b.run("heddle.pickAt(arguments[0], arguments[1])", *project(b, 12 * 49 + 7, object_=1))
        picked = b.state()["picked"]
        check(picked and picked["object"] == "ball", f"under the hidden cloth: {picked}")


def test_colours_and_legend():
    with Browser(make_page("crossing")) as b:
        b.ready()
        b.run("heddle.setQuantity('pull')")
        b.seek(11)
        b.wait(lambda s: s["settled"], "values")
        picture = b.canvas("colours")
        check(is_bluish(picture.pixel(*project(b, 3))), f"negative: {picture.pixel(*project(b, 3))}")
        check(is_reddish(picture.pixel(*project(b, 21 + 4))), f"positive: {picture.pixel(*project(b, 21 + 4))}")
        check(b.driver.find_element(By.CSS_SELECTOR, ".legend").is_displayed(), "a legend")
        b.run("heddle.pickAt(arguments[0], arguments[1])", *project(b, 21 + 4))
        check(abs(b.state()["picked"]["value"] - 11.2) < 0.01, b.state()["picked"])
        b.run("for (const [id, v] of [['range-low', -1000], ['range-high', 1000]]) {"
              "const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event('change')) }")
        check(b.state()["range"] == [-1000, 1000], b.state()["range"])
        b.key("Escape")
        pale = b.canvas("colours-fixed").pixel(*project(b, 21 + 4))
        check(max(pale) - min(pale) < 40, f"11 of 1000 is nearly the middle of the colours: {pale}")


def test_charts_follow_and_lead():
    with Browser(make_page("knit")) as b:
        b.ready()
        state = b.wait(lambda s: s["charts"] == 3, "charts: energy in J, measurements in m and in N")
        check(state["rows"] == [{"energy": 40, "measure": 40}], state["rows"])
        left = "return document.querySelector('.chart .now').getBoundingClientRect().left"
        first = b.run(left)
        b.seek(39)
        last = b.run(left)
        check(last > first + 150, f"the line of time went from {first} to {last}")
        plot = b.driver.find_element(By.CSS_SELECTOR, ".chart .u-over")
        ActionChains(b.driver, duration=20).move_to_element(plot).click().perform()
        state = b.wait(lambda s: s["frame"] != 39 and s["settled"], "a click in a chart")
        check(abs(state["frame"] - 19.5) < 3, f"the middle of the chart is frame {state['frame']}")
        b.page("charts")


def test_keys_and_mouse():
    with Browser(make_page("crossing")) as b:
        b.ready()
        for key, frame in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 11), ("Home", 0)):
            b.key(key)
            check(b.state()["frame"] == frame, f"{key}: frame {b.state()['frame']}")
        before = project(b, 0)
        in_the_picture(b, (0.9, 0.9)).click_and_hold().move_by_offset(60, -20).release().perform()
        turned = project(b, 0)
        check(abs(turned[0] - before[0]) > 5, f"a drag turns: {before} {turned}")
        b.key("r")
        check(all(abs(p - q) < 0.01 for p, q in zip(project(b, 0), before)), "r looks from the first side again")
        # The point under the cursor stays there while the camera goes towards it.
        at = project(b, 21 + 10)
        size = abs(project(b, 21)[1] - at[1])
        b.run("heddle.zoom(0.5, arguments[0], arguments[1])", *at)
        after = project(b, 21 + 10)
        # The surface is met, the vertex is one radius (3 mm) behind it: some pixels.
        check(all(abs(p - q) < 12 for p, q in zip(at, after)), f"zoom to the cursor: {at} {after}")
        check(abs(project(b, 21)[1] - after[1]) > 1.7 * size, "half the distance is about twice the size")
        b.key("?")
        check(b.driver.find_element(By.ID, "help-box").is_displayed(), "help")


def test_side_by_side():
    with Browser(make_page("pair")) as b:
        state = b.ready()
        check(state["titles"] == ["coarse", "fine"] and state["frames"] == 40, state["titles"])
        b.seek(0)
        b.run("heddle.seek(12)")
        state = b.wait(lambda s: s["settled"] and s["shown"] == [12, 12], "the same time in both")
        b.run("heddle.seek(30)")
        state = b.wait(lambda s: s["settled"] and s["shown"][1] == 30, "frame 30 of the longer run")
        check(state["shown"][0] == 19, f"the shorter run shows its last frame: {state['shown']}")
        picture = b.canvas("pair")
        for run in (0, 1):
            middle = (20 * 41 + 20) if run == 0 else (30 * 61 + 30)
            x, y = project(b, middle, run=run)
            check((x > picture.width / 2) == (run == 1), f"run {run} is in its half: {x}")
            check(is_reddish(picture.pixel(x, y)), f"cloth in half {run}: {picture.pixel(x, y)}")
        b.page("side-by-side")


def test_small_screen():
    with Browser(make_page("crossing"), size=(500, 700)) as b:
        b.ready()
        check(not b.driver.find_element(By.ID, "panel").is_displayed(), "the panel is put away")
        wide = b.run("return document.documentElement.scrollWidth <= window.innerWidth")
        check(wide, "nothing sticks out")
        b.click("#panel-toggle")
        check(b.driver.find_element(By.ID, "panel").is_displayed(), "and comes back")
        b.page("small")


def test_broken_data_are_said():
    path = make_page("crossing")
    with open(path) as stream:
        page = stream.read()
    mark = 'id="heddle-data">'
    at = page.index(mark) + len(mark)
    end = page.index("</script>", at)
    for name, text in (("cut", page[:end - 400] + page[end:]), ("none", page[:at] + page[end:]),
                       ("noise", page[:at] + "!" + page[at + 1:])):
        with open(f"{name}.html", "w") as out:
            out.write(text)
        with Browser(f"{name}.html", errors_allowed=True) as b:
            state = b.wait(lambda s: s["errors"], "a message")
            check(not state["ready"], state)
            line = b.driver.find_element(By.ID, "message")
            check(line.is_displayed() and "data of the page" in line.text, line.text)
            b.collect()
            check(not b.console, f"nothing was thrown: {b.console}")


if __name__ == "__main__":
    main(globals())
